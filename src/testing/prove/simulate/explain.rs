//! A simulation in words: its regions, the facts assumed at each, the terms compared, and the verdict.

use std::collections::{BTreeMap, BTreeSet};

use super::{Ends, Failure, Plan, Point, SimulatePlace, Simulation};
use crate::compiler::stage::flow::ranges::Range;
use crate::lang::level::OptLevel;
use crate::testing::equivalence::state::{LOOP, OPERAND};
use crate::testing::prove::blast::BlastKind;
use crate::testing::prove::relation::{Bound, Item, Relation};
use crate::testing::prove::steps::{ProveNames, ProveStep};

/// The maximum number of relations listed for a region, and of variables for a step.
const RELATIONS: usize = 12;
const TERMS: usize = 6;

impl Simulation<'_> {
    /// Adds the steps of a simulation that has run: all regions if it succeeded, else why it failed.
    pub fn explain(&self, ran: &Result<(), Failure>, names: &ProveNames, steps: &mut Vec<ProveStep>) {
        let title = self.plan.title(names.level);
        match ran {
            Err(Failure::Cancelled) => {}
            Err(Failure::Reason(reason)) => {
                steps.push(ProveStep::new(title, vec![format!("no proof: {reason}")]))
            }
            Err(Failure::Input(_)) => {
                let line = "a model of the terms may be an input on which they differ: it is run";
                steps.push(ProveStep::new(title, vec![line.into()]));
            }
            Ok(()) => {
                steps.push(ProveStep::new(
                    title,
                    vec!["this proof succeeds, by the regions that follow".into()],
                ));
                let begin = SimulatePlace { at: [Point::Begin; 2] };
                let places = std::iter::once(&begin).chain(&self.order);
                steps.extend(places.map(|place| self.region(*place, names)));
            }
        }
    }

    /// Describes the region that begins at a place.
    fn region(&self, place: SimulatePlace, names: &ProveNames) -> ProveStep {
        let mut lines = self.facts(place, names);
        let symbols: BTreeMap<u32, String> =
            self.numbers.iter().map(|((_, item), number)| (*number, variable(names, *item))).collect();
        let symbol = |number: u32| symbols.get(&number).cloned().unwrap_or_else(|| "?".into());
        let text = |term| names.term(self.terms, term, &symbol);
        let steps = self.kept.iter().filter(|([from, _], _)| *from == place);
        for ([_, next], kept) in steps {
            let to = self.point_text(*next, 0, names);
            if kept.is_empty() {
                lines.push(format!("on the way to {to} all that is assumed equal stays equal by rewriting"));
                continue;
            }
            lines.push(format!("on the way to {to}:"));
            for (item, [own, its]) in kept.iter().take(TERMS) {
                let name = variable(names, *item);
                lines.push(format!("  {name} becomes {}; in the other, {}", text(*own), text(*its)));
            }
            lines.push("  the solver finds no values for which these differ".into());
        }
        if let Some(Ends { codes, values, same }) = self.ends.get(&place) {
            let never = codes.map(|code| self.terms.value_of(code)) == [Some(0); 2];
            let compared = match never {
                true => vec![("returns", values)],
                false => vec![("returns", values), ("traps with", codes)],
            };
            for (what, [own, its]) in compared {
                match own == its {
                    true => lines.push(format!("each {what} {}", text(*own))),
                    false => {
                        lines.push(format!("the program {what} {}", text(*own)));
                        lines.push(format!("the other {what} {}", text(*its)));
                    }
                }
            }
            lines.push(match same {
                true => "the terms at the end are equal by rewriting".into(),
                false => "the solver finds no values for which the terms at the end differ".into(),
            });
        }
        ProveStep::new(self.place_text(place, names), lines)
    }

    fn place_text(&self, place: SimulatePlace, names: &ProveNames) -> String {
        match self.corresponds(place.at) {
            Some(true) => format!("Region: from {}", self.point_text(place, 0, names)),
            _ => {
                let [own, its] = [0, 1].map(|side| self.point_text(place, side, names));
                format!("Region: the program from {own}, the other from {its}")
            }
        }
    }

    fn point_text(&self, place: SimulatePlace, side: usize, names: &ProveNames) -> String {
        match place.at[side] {
            Point::Begin => "the beginning".to_string(),
            Point::End => "the end".to_string(),
            Point::Loop(number) => match self.routines[side].loops.get(number) {
                Some(own) if side == 0 => format!("the loop {}", names.loop_text(own.token)),
                _ => format!("its loop {}", number + 1),
            },
        }
    }

    /// The facts assumed where a region begins.
    fn facts(&self, place: SimulatePlace, names: &ProveNames) -> Vec<String> {
        let Some(node) = self.nodes.get(&place) else { return vec!["all arguments are equal".into()] };
        let mut lines = Vec::new();
        let own: BTreeSet<u32> =
            node.classes.keys().filter(|(side, _)| *side == 0).map(|(_, variable)| *variable).collect();
        let is_equal = |variable: &u32| node.classes.get(&(0, *variable)) == node.classes.get(&(1, *variable));
        let (equal, other): (Vec<u32>, Vec<u32>) = own.into_iter().partition(is_equal);
        let named = |variables: &[u32]| {
            variables.iter().map(|number| variable(names, (0, *number))).collect::<Vec<_>>().join(", ")
        };
        if !equal.is_empty() {
            lines.push(format!("assumed equal: {}", named(&equal)));
        }
        if !other.is_empty() {
            lines.push(format!("not assumed equal: {}", named(&other)));
        }
        for number in &equal {
            let Range { lo, hi, .. } = self.fact(place, (0, *number));
            if (lo, hi) != (i32::MIN, i32::MAX) {
                let name = variable(names, (0, *number));
                lines.push(match node.kinds.get(&(0, *number)) {
                    Some(BlastKind::List(_)) => format!("len({name}) is {lo} to {hi}"),
                    _ => format!("{name} is {lo} to {hi}"),
                });
            }
        }
        lines.extend(node.relations.iter().take(RELATIONS).map(|relation| relation_text(*relation, names)));
        if node.relations.len() > RELATIONS {
            lines.push(format!("and {} more relations", node.relations.len() - RELATIONS));
        }
        lines
    }
}

impl Plan {
    fn title(&self, level: OptLevel) -> String {
        let mut ways = vec![format!("run both side by side at level {}", level.number())];
        ways.extend(self.relates.then(|| "with relations between variables".into()));
        ways.extend(self.opposes.then(|| "with signs that may differ".into()));
        ways.extend(self.unrolls.then(|| "with loops unrolled".into()));
        ways.extend(match self.ahead {
            [None, None] => None,
            [Some(_), None] => Some("the program a round of a loop ahead".into()),
            [None, Some(_)] => Some("the other a round of a loop ahead".into()),
            [Some(_), Some(_)] => Some("after the first round of a loop".into()),
        });
        format!("Simulation: {}", ways.join(", "))
    }
}

fn variable(names: &ProveNames, (_, variable): Item) -> String {
    match (variable & OPERAND, variable & LOOP) {
        (0, 0) => names.variable(variable),
        (0, _) => "the rest of the loop".into(),
        _ => format!("operand {}", variable & !OPERAND),
    }
}

fn relation_text(relation: Relation, names: &ProveNames) -> String {
    let name = |item: Item| match item.0 {
        0 => variable(names, item),
        _ => format!("{}'", variable(names, item)),
    };
    match relation {
        Relation::Less(a, b) => format!("{} < {}", name(a), name(b)),
        Relation::AtMost(a, b) => format!("{} <= {}", name(a), name(b)),
        Relation::Disjoint(a, b) => format!("{} & {} == 0", name(a), name(b)),
        Relation::Ends(range, b) => format!("the range of {} is empty or ends before {}", name(range), name(b)),
        Relation::Empty(range) => format!("the range of {} is empty", name(range)),
        Relation::Few(range) => format!("the range of {} is short", name(range)),
        Relation::Is(item, value) => format!("{} == {}", name(item), value as i32),
        Relation::Opposite { variable, either } => {
            let sign = if either { "plus or minus " } else { "-" };
            format!("{} == {sign}{}", name((0, variable)), name((1, variable)))
        }
        Relation::Follows(range, b) => format!("the range of {} continues after {}", name(range), name(b)),
        Relation::Counts(range, Bound::Item(b)) => {
            format!("the range of {} ends before {}", name(range), name(b))
        }
        Relation::Counts(range, Bound::Constant(b)) => format!("the range of {} ends before {b}", name(range)),
        Relation::Alike { list, bound, more, before } => {
            let more = if more == 0 { String::new() } else { format!(" + {more}") };
            let list = names.variable(list);
            match before {
                true => format!("{list} is equal below index {}{more}", name(bound)),
                false => format!("{list} is equal from index {}{more} on", name(bound)),
            }
        }
    }
}
