//! Random programs with `?`.

use std::ops::Range;

use super::compile::compile;
use super::rng::Rng;
use super::typed;

/// Returns a well-typed program with `?` in place of some of its expressions. A few programs have errors: a type that the
/// place of a `?` does not determine, or a place where none is legal.
pub fn program(seed: u64) -> String {
    let (mut text, mut rng) = (typed::program(seed), Rng::new(seed ^ 0x0401e));
    for _ in 0..2 + rng.below(6) {
        let program = compile(&text);
        let view = program.view();
        let all: Vec<Range<usize>> = { view.nodes() }
            .filter(|t| view.role(*t).is_expression())
            .filter_map(|t| view.extent_span(t))
            .collect();
        if program.facts.errors > 0 || all.is_empty() {
            break;
        }
        let mut holed = text.clone();
        holed.replace_range(rng.pick(&all).clone(), " ? ");
        if rng.one_in(40) || compile(&holed).facts.errors == 0 {
            text = holed;
        }
    }
    text
}
