//! Equations 3 to 12: the neural path.
//!
//! The paper equates k programs with k candidates of one program. Both appear here under their own names; a ratio
//! always has the same k on both sides.

use super::super::formula;
use super::super::measured::{Draws, Measured, MeasuredNeural};
use super::super::neural::expected;
use super::super::quoted::{self, Range};
use super::super::table::{Row, Section, contradiction, count};
use crate::host::measure::quantity::{Unit, digits};
use crate::host::measure::stat::{Power, Stat};

pub fn sections(m: &Measured) -> Vec<Section> {
    let n = m.neural.as_ref();
    vec![
        likelihood(n),
        supervised(n),
        reinforced(n),
        correct(n),
        success(n),
        enough(n),
        generate(m, n),
        verify(m, n),
        total(n),
        speedup(m, n),
    ]
}

pub(super) fn likelihood(n: Option<&MeasuredNeural>) -> Section {
    let section = Section::equation(3);
    let Some((log_p, part)) = n.and_then(|n| n.likeliest) else { return section };
    section.row(
        Row::new("p of the code drawn most often", Unit::Probability)
            .modelled(log_p.exp())
            .measured_once(part)
            .note("modelled: the product over its words; measured: its fraction of the draws"),
    )
}

pub(super) fn supervised(n: Option<&MeasuredNeural>) -> Section {
    let section = Section::equation(4);
    match n.and_then(|n| n.own_loss) {
        Some(loss) => section.row(
            Row::new("of a word of the compiler's own code", Unit::Nats)
                .measured_once(loss)
                .note("one function; training's own figures are in assets/neural"),
        ),
        None => {
            section.row(Row::new("of a word of the compiler's own code", Unit::Nats).note(if n.is_some() {
                "not among the draws"
            } else {
                ""
            }))
        }
    }
}

pub(super) fn reinforced(n: Option<&MeasuredNeural>) -> Section {
    let section = Section::equation(5);
    let Some(n) = n else { return section };
    let drawn = f64::from(n.drawn.max(1));
    let part = |count: u32| f64::from(count) / drawn;
    section
        .row(
            Row::new("mean R of a draw", Unit::Count)
                .modelled(formula::reward(part(n.valid), part(n.correct)))
                .measured_once(formula::reward(part(n.valid), part(n.passed)))
                .note("modelled from p_correct, measured by the tests alone; no term for time"),
        )
        .row(Row::new("L over the draws", Unit::Nats).measured_once(n.reward_loss))
}

pub(super) fn correct(n: Option<&MeasuredNeural>) -> Section {
    let section = Section::equation(6);
    let Some(n) = n else { return section };
    let p = p_correct(n);
    let paper = expected(n.class);
    section
        .row(
            Row::new(format!("p_correct of {}", n.function), Unit::Probability)
                .paper(paper)
                .measured_once(p)
                .note(format!("{}; {} to {} with 95 %", n.class.ident(), digits(n.p_low), digits(n.p_high))),
        )
        .finding(contradiction(
            &format!("p_correct of a {} function", n.class.ident()),
            Unit::Probability,
            paper,
            p,
        ))
}

pub(super) fn p_correct(n: &MeasuredNeural) -> f64 {
    f64::from(n.correct) / f64::from(n.drawn.max(1))
}

pub(super) fn success(n: Option<&MeasuredNeural>) -> Section {
    let section = Section::equation(7);
    let Some(n) = n else { return section };
    let p = p_correct(n);
    let paper = expected(n.class);
    section.rows(n.success.iter().map(|&(k, measured)| {
        let row = Row::new(format!("k = {}", count(k)), Unit::Probability)
            .modelled(formula::success(p, k.into()))
            .measured_once(measured);
        // The paper states a number for a single candidate only.
        let row = if k == 1 { row.paper(paper) } else { row };
        match k {
            // For a single draw, the estimator is the correct fraction.
            1 => row.identity("p_correct itself"),
            k if k == n.drawn => row.note("measured: 1 if any draw is correct, else 0"),
            _ => row,
        }
    }))
}

pub(super) fn enough(n: Option<&MeasuredNeural>) -> Section {
    let mut section = Section::equation(8);
    for (p, k) in quoted::K99_EXAMPLES {
        section = section.row(
            Row::new(format!("p_correct = {p}"), Unit::Count)
                .paper(Range::of(k))
                .modelled(formula::candidates(p, 0.99))
                .note("the paper rounds 4.6 / p"),
        );
    }
    let Some(n) = n else { return section };
    let p = p_correct(n);
    let row = Row::new(format!("{}, p_correct = {}", n.function, digits(p)), Unit::Count)
        .modelled(formula::candidates(p, 0.99).ceil());
    section.row(match n.k99 {
        Some(k) => row.measured_once(k.into()).note("measured: unbiased, from the draws"),
        None => row.measured_as(format!("over {}", count(n.drawn))),
    })
}

/// Returns the last two points. Equations 9 and 10 predict the last from the one before.
fn before_last(points: &[Draws]) -> Option<(&Draws, &Draws)> {
    let [.., before, last] = points else { return None };
    Some((before, last))
}

/// Returns a row for an exponent, fitted if there are enough points.
fn exponent(name: &str, points: &[(f64, Stat)], paper: Option<f64>) -> Row {
    let row = Row::new(name, Unit::Count);
    let row = paper.map_or(row.clone(), |paper| row.paper(Range::of(paper)));
    let points: Vec<(f64, f64)> = points.iter().map(|(x, time)| (*x, time.median)).collect();
    match Power::through(&points) {
        Some(power) => row.fitted(power),
        None => row.note("too few points to fit one"),
    }
}

/// Returns rows of the measured T_gen(k).
pub(super) fn generated(n: &MeasuredNeural) -> impl Iterator<Item = Row> + '_ {
    n.points.iter().map(|point| {
        let row = Row::new(t_gen(&count(point.k)), Unit::Milliseconds).measured(point.generate);
        if is_the_papers(point.k.into()) { row.paper(quoted::NEURAL_GENERATE) } else { row }
    })
}

/// Returns whether the paper's times for candidates are for this k.
pub(super) fn is_the_papers(k: f64) -> bool {
    k == quoted::NEURAL_K
}

/// Returns the name of T_gen for a number of candidates. [`t_verify`] and [`t_neural`] name the others.
pub(super) fn t_gen(k: &str) -> String {
    format!("T_gen({k})")
}
pub(super) fn t_verify(k: &str) -> String {
    format!("T_verify({k})")
}
pub(super) fn t_neural(k: &str) -> String {
    format!("T_neural({k})")
}

fn generate(m: &Measured, n: Option<&MeasuredNeural>) -> Section {
    let section = Section::equation(9);
    let Some(n) = n else { return section };
    let section = section.rows(generated(n));
    let section = match before_last(&n.points) {
        Some((before, last)) => proportional(m, section, before, last),
        None => section,
    };
    section
        .row(
            Row::new("L · n · d² of one candidate", Unit::Count)
                .modelled(f64::from(n.layers) * f64::from(n.words) * f64::from(n.width).powi(2))
                .note(format!("L = {}, n = {}, d = {}", n.layers, n.words, n.width)),
        )
        .rows(swept(n))
}

/// Models T_gen of the largest k from that of the one before. P is the same for both and cancels.
fn proportional(m: &Measured, mut section: Section, before: &Draws, last: &Draws) -> Section {
    let one = before.generate.median * m.subject.cores / f64::from(before.k);
    let modelled = formula::spread(one, last.k.into(), m.subject.cores);
    if let Some(row) = section.rows.last_mut() {
        *row = row.clone().modelled(modelled).note(format!("modelled from T_gen({})", count(before.k)));
    }
    let sentence = (modelled > 1.5 * last.generate.median).then(|| {
        format!(
            "Generating {} candidates of one program takes {} and not the {} of the formula: candidates that begin alike are worked on as one, so that time grows with the \
             different ones and not with k.",
            count(last.k),
            Unit::Milliseconds.show(last.generate.median),
            Unit::Milliseconds.show(modelled)
        )
    });
    let contradicts = is_the_papers(last.k.into())
        .then(|| {
            contradiction(
                "Generating 1,000 candidates of one program",
                Unit::Milliseconds,
                quoted::NEURAL_GENERATE,
                last.generate.median,
            )
        })
        .flatten();
    section.finding(sentence).finding(contradicts)
}

/// Returns rows of T_gen over n, L and d.
fn swept(n: &MeasuredNeural) -> Vec<Row> {
    let s = &n.sweeps;
    let k = count(s.k);
    let mut rows = Vec::new();
    let mut times =
        |points: &[(f64, Stat)], what: &str, name: &str| {
            rows.extend(points.iter().map(|(x, time)| {
                Row::new(format!("{name}, {what} = {x:.0}"), Unit::Milliseconds).measured(*time)
            }));
        };
    times(&s.words, "n", &format!("T_gen({k})"));
    times(&s.layers, "L", "a word");
    times(&s.width, "d", "a word");
    let [width_held, layers_held] = s.held;
    rows.extend([
        exponent("exponent of n", &s.words, None).note(
            "least squares on logarithms, with its standard error; functions of 1 to 16 assignments, none from the file, with the current network",
        ),
        exponent("exponent of L", &s.layers, None).note(format!(
            "networks of random weights, d = {width_held}; their output has a random length, so every measured time is divided by the number of words read and written"
        )),
        exponent("exponent of d", &s.width, Some(quoted::WIDTH_GROWTH)).note(format!("the same, L = {layers_held}")),
    ]);
    rows
}

/// Returns rows of T_verify(k), measured and modelled from the time of the program's own tests.
pub(super) fn verified(n: &MeasuredNeural, execute: Option<f64>, cores: f64) -> impl Iterator<Item = Row> + '_ {
    n.points.iter().map(move |point| {
        let name = format!("{}, {} distinct", t_verify(&count(point.k)), count(point.distinct));
        let row = Row::new(name, Unit::Milliseconds).measured(point.verify);
        let row = match execute {
            Some(execute) => row.modelled(formula::spread(execute, point.distinct.into(), cores)),
            None => row,
        };
        if is_the_papers(point.k.into()) { row.paper(quoted::NEURAL_VERIFY) } else { row }
    })
}

fn verify(m: &Measured, n: Option<&MeasuredNeural>) -> Section {
    let section = Section::equation(10);
    let Some(n) = n else { return section };
    let (execute, cores) = (m.traditional.execute, m.subject.cores);
    let wide = n.verified.iter().map(|&(distinct, time)| {
        Row::new(format!("T_verify, {} distinct", count(distinct)), Unit::Milliseconds)
            .modelled(formula::spread(execute, distinct.into(), cores))
            .measured_once(time)
    });
    let alone = |time: f64| Stat { median: time, spread: 0.0, of: 1 };
    let points: Vec<(f64, Stat)> = n.verified.iter().map(|&(x, time)| (x.into(), alone(time))).collect();
    section.rows(verified(n, Some(execute), cores)).rows(wide).row(
        exponent("exponent of distinct candidates", &points, None).note(
            "equal candidates are run once, so the model is T_exec · distinct / P, with the exponent fitted over distinct ones; rows without a k are drawn at a higher \
             temperature, as otherwise nearly all are alike",
        ),
    )
}

/// Returns rows of T_neural(k), and of a complete search including its evidence.
pub(super) fn neural(n: &MeasuredNeural) -> impl Iterator<Item = Row> + '_ {
    let rows = n.points.iter().map(|point| {
        let row = Row::new(t_neural(&count(point.k)), Unit::Milliseconds)
            .modelled(formula::neural(point.generate.median, point.verify.median))
            .measured(point.all)
            .identity("both terms are of the same run");
        if is_the_papers(point.k.into()) { row.paper(quoted::NEURAL_TOTAL) } else { row }
    });
    let evidence = n.evidence.unwrap_or("nothing correct found");
    let search = Row::new(format!("a search for {}, to its evidence", n.function), Unit::Milliseconds)
        .measured_once(n.whole)
        .note(format!("{} candidates; {evidence}", count(n.drawn)));
    rows.chain([search])
}

fn total(n: Option<&MeasuredNeural>) -> Section {
    let section = Section::equation(11);
    let Some(n) = n else { return section };
    let Some(last) = n.points.last() else { return section };
    let name = t_neural(&count(last.k));
    // The terms of a smaller k, each by its own formula, predict the total independently.
    let predicted = before_last(&n.points).map(|(before, last)| {
        let generate = before.generate.median * f64::from(last.k) / f64::from(before.k);
        let verify = before.verify.median * f64::from(last.distinct) / f64::from(before.distinct.max(1));
        Row::new(format!("{name} from {}", t_neural(&count(before.k))), Unit::Milliseconds)
            .modelled(formula::neural(generate, verify))
            .measured(last.all)
            .note("modelled: T_gen by (9) and T_verify by (10), from the smaller k")
    });
    let paper = is_the_papers(last.k.into()).then_some(quoted::NEURAL_TOTAL);
    section.rows(neural(n)).rows(predicted).finding(paper.and_then(|paper| {
        contradiction("T_neural of 1,000 candidates of one program", Unit::Milliseconds, paper, last.all.median)
    }))
}

/// The names of the two meanings of k in rows.
pub(super) const CANDIDATES: &str = "k candidates of one program";
pub(super) const PROGRAMS: &str = "k programs";

fn speedup(m: &Measured, n: Option<&MeasuredNeural>) -> Section {
    let section = Section::equation(12);
    let paper = Range::of(quoted::SPEEDUP);
    let row = |kind: &str| Row::new(format!("speedup, {kind}"), Unit::Times).paper(paper);
    let expected =
        |kind: &str| Row::new(format!("expected, {kind}"), Unit::Times).paper(quoted::SPEEDUP_NEURAL);
    let none = |section: Section| {
        section.rows([row(CANDIDATES), row(PROGRAMS), expected(CANDIDATES), expected(PROGRAMS)])
    };
    let (Some(n), Some(one)) = (n, m.conventional) else { return none(section) };
    let Some(last) = n.points.last() else { return none(section) };
    let k = f64::from(last.k);
    let here = formula::speedup(k, one.mean(), last.all.median);
    let candidates = row(CANDIDATES)
        .modelled(formula::speedup(
            k,
            one.total.median,
            last.all.median,
        ))
        .measured_once(here)
        .note(format!(
            "what the paper computes: {} candidates of {} count as {0} programs of the loop; modelled from medians, measured from the loop's mean",
            count(last.k),
            n.function
        ));
    let programs = n.programs.as_ref();
    let each = programs.map(|p| {
        row(PROGRAMS)
            .modelled(formula::speedup(k, one.total.median, k * p.each.median))
            .measured_once(p.speedup())
            .note(format!(
                "what a user waits for: the same {} programs by both, one after the other",
                count(p.count)
            ))
    });
    let mut section = section
        .row(Row::new(t_neural(&count(last.k)), Unit::Milliseconds).measured(last.all).note("of one program"))
        .row(Row::new(format!("T_CPU · {}", count(last.k)), Unit::Milliseconds).modelled(k * one.mean()));
    if let Some(p) = programs {
        section = section.rows([
            Row::new(format!("T_neural, {} programs", count(p.count)), Unit::Milliseconds)
                .measured_once(p.whole)
                .note(format!(
                    "right code for {}, the compiler's own for {}; {} draws",
                    p.done,
                    p.proved,
                    count(p.drawn)
                )),
            Row::new(format!("T_CPU, the same {} programs", count(p.count)), Unit::Milliseconds)
                .measured_once(p.conventional),
            Row::new(format!("T_neural, {} programs", count(last.k)), Unit::Milliseconds)
                .modelled(k * p.mean())
                .note("from the mean of those measured"),
        ]);
    }
    section
        .row(candidates)
        .row(each.unwrap_or(row(PROGRAMS)))
        .row(expected(CANDIDATES).measured_once(here).note("the paper's, section 4.4 and table 1"))
        .row(expected(PROGRAMS).measured_if(programs.map(|p| p.speedup())))
        .finding(contradiction(
            &format!("The neural speedup, counting {} candidates of one program as programs", count(last.k)),
            Unit::Times,
            paper,
            here,
        ))
        .finding(programs.and_then(|p| {
            contradiction(
                &format!("The neural speedup for {} different programs", count(p.count)),
                Unit::Times,
                paper,
                p.speedup(),
            )
        }))
        .finding(pays(m, n, last))
}

/// Returns a sentence on whether the neural path pays, which names both sides of the comparison.
fn pays(m: &Measured, n: &MeasuredNeural, last: &Draws) -> Option<String> {
    let (one, p) = m.conventional.zip(n.programs)?;
    let ms = |time: f64| Unit::Milliseconds.show(time);
    let (k, asked) = (f64::from(last.k), count(last.k));
    let verdict = match p.speedup() {
        s if s < 1.0 => format!("{} times longer", digits(1.0 / s)),
        s => format!("{} times less", digits(s)),
    };
    Some(format!(
        "Compared are different programs: {} of them take {} by the network and {} by the conventional loop, so the network takes {verdict}. {asked} candidates \
         of one program take {}, and the loop {} for {asked} programs; but they are one program and not {asked}.",
        count(p.count),
        ms(p.whole),
        ms(p.conventional),
        ms(last.all.median),
        ms(k * one.mean()),
    ))
}
