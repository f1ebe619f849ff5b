//! What level 2 could be expected to expand and does not, with the reason, in terms of the source.

use std::collections::BTreeSet;

use serde::Serialize;

use super::{extent, quoted};
use crate::compiler::program::{Compiled, Routine};
use crate::compiler::stage::optimize;
use crate::compiler::stage::optimize::expand::{
    self as expand, INLINE_LONGEST, LARGEST, Missed, ROTATE_TEST, UNROLL_COPIES, UNROLL_ROUNDS, Why,
};
use crate::host::measure::numbers::plural;
use crate::lang::index::{Index, RoutineId, TokenId};
use crate::lang::level::OptLevel;
use crate::lang::opcode::Op;
use crate::report::document::Span;
use crate::report::places::Lines;

/// An expansion that is not made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Remark {
    /// The name of the expansion; absent if the program is not expanded at all.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub expansion: &'static str,
    /// The call, loop or expression.
    pub token: TokenId,
    /// `not unrolled: the number of rounds is not known`
    #[serde(rename = "remark")]
    pub text: String,
    #[serde(flatten)]
    pub span: Span,
}

/// Returns the remarks on a program, in the order of its text; nothing below level 2.
pub fn remarks(program: &Compiled) -> Vec<Remark> {
    let (lines, view) = (Lines::new(&program.text), program.view());
    let mut known = BTreeSet::new();
    let remark = |missed: Missed| {
        let token = TokenId::from_word(missed.token)?;
        let span = lines.span(view.span(token).unwrap_or_default());
        let text = text(program, missed);
        // Calls and share may say the same.
        known.insert((token, text.clone())).then_some(Remark { expansion: missed.expansion, token, text, span })
    };
    optimize::missed(program).into_iter().filter_map(remark).collect()
}

/// Formats remarks as text, a line for each.
pub fn page(program: &Compiled, remarks: &[Remark]) -> String {
    if remarks.is_empty() {
        return match program.level {
            _ if !program.facts.compiles() => String::new(),
            OptLevel::Whole | OptLevel::Learned => {
                "everything that could be expected is expanded\n".to_string()
            }
            _ => "only level 2 expands code: --opt 2\n".to_string(),
        };
    }
    let row = |own: &Remark| {
        let place = format!("{}:{}", own.span.line, own.span.column);
        format!("{place:>7}  {}\n", own.text)
    };
    remarks.iter().map(row).collect()
}

/// Returns a remark as a sentence.
fn text(program: &Compiled, missed: Missed) -> String {
    let Missed { expansion, token, why } = missed;
    let done = expand::all().find(|own| own.name == expansion).map_or("expanded", |own| own.done);
    let token = TokenId::from_word(token);
    let callee = token.and_then(|token| program.program().callee(token)).map(|callee| callee.id);
    let subject = match expansion {
        _ if why == Why::LargeProgram => String::new(),
        "inline" => callee.map_or(String::new(), |callee| format!("`{}` ", program.function_name(callee))),
        "calls" | "hoist" | "share" => {
            token.map_or(String::new(), |token| format!("`{}` ", quoted(program, token)))
        }
        _ => String::new(),
    };
    let around = token.and_then(|token| routine_of(program, token));
    format!("{subject}not {done}: {}", reason(program, why, callee, around))
}

/// Returns the condition that fails, in words. `callee` is the function that is called, `around` the routine with
/// the place.
fn reason(program: &Compiled, why: Why, callee: Option<RoutineId>, around: Option<RoutineId>) -> String {
    let name_of = |function: u32| program.function_name(RoutineId::new(function));
    let instructions = |count: u32| plural(u64::from(count), "instruction");
    match why {
        Why::Calls(_) | Why::LongFunction(_) if callee.is_some_and(|own| is_recursive(program, own)) => {
            "it is recursive".to_string()
        }
        Why::Calls(other) => format!("it calls `{}`", name_of(other)),
        Why::LongFunction(count) => format!("it has {}, more than {INLINE_LONGEST}", instructions(count)),
        Why::ReturnsList => "it returns a list".to_string(),
        Why::LargeProgram => format!("the program has more than {}", instructions(LARGEST)),
        Why::Room => "the program would get too large".to_string(),
        Why::Arguments => "storing its arguments would take more steps".to_string(),
        Why::Memory if around.is_some_and(|around| meets_recursion(program, around)) => {
            "a recursion leaves no bound on memory".to_string()
        }
        Why::Memory => "its variables may not fit in memory".to_string(),
        Why::NoGain => "it would save no steps".to_string(),
        Why::OverList => "the loop runs over a list".to_string(),
        Why::UnknownRounds => "the number of rounds is not known".to_string(),
        Why::ManyRounds(rounds) => {
            format!("it runs {}, more than {UNROLL_ROUNDS}", plural(u64::from(rounds), "time"))
        }
        Why::FewRounds => "the loop runs at most once".to_string(),
        Why::LongBody(most) => format!("the loop has more than {}", instructions(most)),
        Why::LongCopies(count) => {
            format!("its copies would have {}, more than {UNROLL_COPIES}", instructions(count))
        }
        Why::InnerLoop => "a loop is inside".to_string(),
        Why::StoresVariable => "its variable is assigned".to_string(),
        Why::Leaves => "the loop is left from inside".to_string(),
        Why::MayTrap => "it may trap".to_string(),
        Why::CallsFunction => "it calls a function".to_string(),
        Why::MakesList => "it makes a list".to_string(),
        Why::NotEachRound => "not every round computes it".to_string(),
        Why::LongTest(count) => format!("its test has {}, more than {ROTATE_TEST}", instructions(count)),
        Why::WideElement => "an element has more than 24 bits".to_string(),
    }
}

/// Whether a function may call itself, directly or through others.
fn is_recursive(program: &Compiled, function: RoutineId) -> bool {
    reached(program, function).contains(&function)
}

/// Whether a routine reaches a recursive function, or is reached by one.
fn meets_recursion(program: &Compiled, routine: RoutineId) -> bool {
    let own = reached(program, routine);
    let meets = |function: RoutineId| {
        let reached = reached(program, function);
        reached.contains(&function) && (own.contains(&function) || reached.contains(&routine))
    };
    program.functions().iter().any(meets)
}

/// Returns the functions that a routine calls, directly or through others.
fn reached(program: &Compiled, routine: RoutineId) -> BTreeSet<RoutineId> {
    let Compiled { ir, executable, .. } = program;
    let mut reached = BTreeSet::new();
    let mut pending = vec![routine];
    while let Some(caller) = pending.pop() {
        let code = extent(ir, &executable.routines, caller.position());
        for i in code.filter(|i| ir.op[*i] == Op::Call as u32) {
            let callee = RoutineId::new(ir.arg[i]);
            if reached.insert(callee) {
                pending.push(callee);
            }
        }
    }
    reached
}

/// Returns the routine whose text contains a token.
fn routine_of(program: &Compiled, token: TokenId) -> Option<RoutineId> {
    let holds = |own: &Routine| program.view().extent(own.head()).contains(token);
    program.executable.routines().find(holds).map(|own| own.id)
}
