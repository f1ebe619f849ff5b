//! Equation 16: one iteration with a CPU, as in the paper's loop.

use super::super::formula;
use super::super::measured::Loop;
use super::super::quoted::{self, Range};
use super::super::table::{Row, Section, contradiction, count};
use crate::host::measure::quantity::Unit;

pub fn section(one: Option<&Loop>) -> Section {
    let section = Section::equation(16);
    let paper = quoted::ITERATION;
    let ms = |name: &str, paper: Range| Row::new(name, Unit::Milliseconds).paper(paper);
    let Some(one) = one else {
        return section
            .row(ms("T_gen", quoted::GENERATE))
            .row(ms("T_transfer", quoted::TRANSFER))
            .row(ms("T_compile", quoted::COMPILE))
            .row(ms("T_exec", quoted::EXECUTE))
            .row(ms("T_CPU", paper));
    };
    let modelled =
        formula::iteration(one.generate.median, one.transfer.median, one.compile.median, one.execute.median);
    let where_to = match one.crosses {
        true => "to the device or back",
        false => "a copy in memory: there is no device to cross to",
    };
    section
        .row(ms("T_gen", quoted::GENERATE).measured(one.generate).note("the text of a mutant"))
        .row(ms("T_transfer", quoted::TRANSFER).measured(one.transfer).note(where_to))
        .row(
            ms("T_compile", quoted::COMPILE).measured(one.compile).note("one thread, from the first character"),
        )
        .row(ms("T_exec", quoted::EXECUTE).measured(one.execute).note("up to the first test that fails"))
        .row(ms("T_CPU", paper).modelled(modelled).measured(one.total).note(format!(
            "by the clock; median of {} programs, mean {}",
            count(one.programs),
            Unit::Milliseconds.show(one.mean())
        )))
        .finding(contradiction("An iteration on the CPU", Unit::Milliseconds, paper, one.total.median))
}
