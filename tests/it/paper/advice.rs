//! The advice follows from the curves.

use super::machine::{measured, with_hybrid};
use myriad::host::measure::origin::Origin;
use myriad::host::measure::quantity::Unit;
use myriad::host::measure::stat::Stat;
use myriad::paper::advice::{Approach, Case, advise, ruled_out};
use myriad::paper::curves;
use myriad::paper::curves::{latency, plots};
use myriad::paper::measured::{Batch, Measured, Programs};
use myriad::paper::rows::sections;
use myriad::paper::table::count;

const KS: [u32; 5] = [1, 10, 100, 1_000, 10_000];
const CASE: Case = Case { k: 1000, guarantee: false, success: 0.99 };

fn neural(m: &mut Measured) -> &mut Programs {
    m.neural.as_mut().unwrap().programs.as_mut().unwrap()
}
fn hybrid(m: &mut Measured) -> &mut Programs {
    m.hybrid.as_mut().unwrap().programs.as_mut().unwrap()
}

/// Machines on which different approaches are the fastest, and none for all k.
fn machines() -> Vec<Measured> {
    let change = |change: &dyn Fn(&mut Measured)| {
        let mut m = with_hybrid();
        change(&mut m);
        m
    };
    let slow_start = |m: &mut Measured| {
        m.traditional.batches.iter_mut().for_each(|b: &mut Batch| {
            let all = 700.0 + 0.4 * f64::from(b.k);
            b.all = Stat { median: all, spread: 0.0, of: 3 };
        });
    };
    vec![
        change(&|_| {}),
        change(&|m| neural(m).whole = 0.2),
        change(&|m| hybrid(m).whole = 0.1),
        change(&slow_start),
        change(&|m| {
            slow_start(m);
            neural(m).whole = 20.0;
        }),
        change(&|m| {
            slow_start(m);
            neural(m).whole = 20.0;
            neural(m).done = 12;
        }),
        Measured { neural: None, ..with_hybrid() },
        measured(),
    ]
}

#[test]
fn the_advice_is_the_lowest_curve_of_those_allowed() {
    let mut taken = Vec::new();
    for m in machines() {
        let plot = &plots(&m)[0];
        for (k, guarantee) in KS.into_iter().flat_map(|k| [(k, false), (k, true)]) {
            let case = Case { k, guarantee, ..CASE };
            let advice = advise(&m, case);
            let mut lowest: Option<(Approach, f64)> = None;
            for approach in Approach::ALL {
                let Some(curve) = plot.curves.iter().find(|c| c.name == approach.curve()) else { continue };
                let time = curve.line.fixed + curve.line.each * f64::from(k);
                let allowed = ruled_out(&m, approach, case).is_none();
                if allowed && lowest.is_none_or(|(_, least)| time < least) {
                    lowest = Some((approach, time));
                }
            }
            assert_eq!(Some(advice.approach), lowest.map(|(one, _)| one), "k = {k}: {advice:?}");
            let time = Unit::Milliseconds.show(lowest.unwrap().1);
            assert!(advice.why.contains(&format!("{} {time}", advice.approach.ident())), "{advice:?}");
            taken.push(advice.approach);
        }
        // Table 2 has the same advice.
        let table = sections(&m).into_iter().find(|section| section.ident == "table2").unwrap();
        for k in KS {
            let row = table.rows.iter().find(|row| row.name == format!("advice for k = {}", count(k))).unwrap();
            let advice = advise(&m, Case { k, ..Case::of(&m) });
            assert_eq!(row.cell(Origin::Modelled).unwrap().value, words(advice.approach));
            assert_eq!(row.cell(Origin::Measured), None, "a line at any k is no measurement");
        }
    }
    assert!(Approach::ALL.iter().all(|one| taken.contains(one)), "one of them is never the best");
}

fn words(approach: Approach) -> myriad::paper::table::PaperValue {
    myriad::paper::table::PaperValue::Words(approach.ident().into())
}

#[test]
fn hybrid_curve_matches_equation_14() {
    let m = with_hybrid();
    let each = latency(&m).curve(curves::HYBRID).unwrap().line.each;
    let of_14 = sections(&m).into_iter().find(|section| section.equation == Some(14)).unwrap();
    let row = of_14.rows.iter().find(|row| row.name == "T_hybrid, a program, mean").unwrap();
    assert_eq!(row.number(Origin::Measured), Some(each));
}

#[test]
fn unreliable_approach_is_not_advised() {
    let fast = |change: &dyn Fn(&mut Programs), case: Case| {
        let mut m = measured();
        neural(&mut m).whole = 0.2;
        change(neural(&mut m));
        advise(&m, case)
    };
    assert_eq!(fast(&|_| {}, CASE).approach, Approach::Neural);
    let advice = fast(&|p| p.done = 19, CASE);
    assert_eq!(advice.approach, Approach::Traditional);
    assert!(advice.why.contains("it has right code for 19 of 20 programs"), "{advice:?}");
    let advice = fast(&|p| p.proved = 19, Case { guarantee: true, ..CASE });
    assert_eq!(advice.approach, Approach::Traditional);
    assert!(advice.why.contains("a guarantee is required"), "{advice:?}");
    assert_eq!(fast(&|p| p.proved = 19, CASE).approach, Approach::Neural);
}
