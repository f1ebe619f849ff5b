//! Equations 13 to 15: the hybrid.

use super::super::formula::{self, Mixture};
use super::super::measured::Measured;
use super::super::quoted::{HYBRID, HYBRID_TIME, Range};
use super::super::table::{Row, Section, contradiction, count};
use crate::host::measure::quantity::Unit;
use crate::learned::hybrid::router::K;

pub fn sections(m: &Measured) -> Vec<Section> {
    vec![score(m), mixed(m), constants(m)]
}

fn score(m: &Measured) -> Section {
    let section = Section::equation(13);
    match m.hybrid {
        Some(h) => section.row(
            Row::new("s, mean over functions", Unit::Count)
                .measured_once(h.score)
                .note(format!("{} functions; `myriad router` shows each", h.functions)),
        ),
        None => section.row(Row::new("s", Unit::Count).note("not measured")),
    }
}

fn mixed(m: &Measured) -> Section {
    let section = Section::equation(14);
    let ms = |name: &str, value: f64| Row::new(name, Unit::Milliseconds).paper(Range::of(value));
    let p = Row::new("p_simple", Unit::Probability).paper(Range::of(HYBRID.p_simple));
    let share = ms(&format!("a search, mean / {K}"), HYBRID.neural);
    let traditional = ms("T_trad, a function", HYBRID.traditional);
    let routing = ms("T_routing, a function", HYBRID.routing);
    let whole = ms("T_hybrid, a function", HYBRID_TIME);
    let Some(h) = m.hybrid else {
        return section.rows([p, share, traditional, routing, whole]);
    };
    let mixture =
        Mixture { p_simple: h.p_simple, neural: h.neural, traditional: h.traditional, routing: h.routing };
    let sentence = (h.neural > h.traditional).then(|| {
        format!(
            "The traditional path takes {} a function here and the neural path {}: routing a function to the neural path never pays in \
             time on this machine, for any k.",
            Unit::Milliseconds.show(h.traditional),
            Unit::Milliseconds.show(h.neural)
        )
    });
    section
        .rows([
            p.measured_once(h.p_simple).note(format!("of {} functions", h.functions)),
            Row::new("p_success of those", Unit::Probability).measured_once(h.p_success),
            Row::new("a search to its evidence, mean", Unit::Milliseconds)
                .measured_once(h.neural)
                .note(format!("{K} candidates a function; in (14) it takes the place of T_neural")),
            share
                .measured_once(h.neural / f64::from(K))
                .note("the paper's T_neural is amortized over candidates"),
            traditional.measured_once(h.traditional).note("its part of the program's time; as in `myriad router`"),
            routing.measured_once(h.routing).note("features and score; as in `myriad router`"),
            whole
                .modelled(formula::hybrid_with_failures(mixture, h.p_success))
                .measured_once(h.all)
                .note("modelled with a term for attempts that fail: p_simple (1 − p_success) T_trad; measured: the mean, each with its whole program"),
        ])
        .rows(h.programs.iter().map(|p| {
            Row::new("T_hybrid, a program, mean", Unit::Milliseconds).measured_once(p.mean()).note(format!(
                "mean of {} mutants one after the other, each with front end, tests and tested code for the functions that it changes: this is the hybrid's curve",
                count(p.count)
            ))
        }))
        .finding(contradiction("T_routing", Unit::Milliseconds, Range::of(HYBRID.routing), h.routing))
        .finding(sentence)
}

fn constants(m: &Measured) -> Section {
    let section = Section::equation(15);
    // Every machine can measure the traditional path.
    section.row(in_numbers("T_hybrid", m.traditional.single.median))
}

/// Returns the row of equation 15 with the given time of a program on the traditional path.
pub(super) fn in_numbers(name: &str, traditional: f64) -> Row {
    let here =
        Mixture { p_simple: HYBRID.p_simple, neural: HYBRID.neural, traditional, routing: HYBRID.routing };
    Row::new(name, Unit::Milliseconds)
        .paper(Range::of(HYBRID_TIME))
        .modelled(formula::hybrid(here))
        .note("modelled: the paper's constants except T_trad, which is ours")
}
