//! Rules in the text's comments: their verdicts with every text, the code after them while somebody looks at it.

use super::*;
use crate::session::job::APPLIED_RULES;
use crate::testing::rules::{AppliedRules, ProgramRules};

#[test]
fn code_after_rules_is_found_while_it_is_looked_at() {
    let cpu = Box::new(CpuEngine::with_threads(1));
    let (session, updates) = session(cpu, None, Preference::Cpu, 150, (false, CompareExtent::Off));
    let text = "//= x + 0 => x\nfn f(n: int) -> int { return n + 0; }\ntest f(2) == 2;\n";
    session.send(Request::Optimize(OptLevel::Whole.into()));
    session.send(Request::Edit(Edit { revision: 1, text: text.into(), at: Instant::now() }));
    let applied = |update: &Update| match update {
        Update::Found(finding) => finding.what::<AppliedRules>().cloned(),
        _ => None,
    };
    let has_verdicts =
        |update: &Update| matches!(update, Update::Found(finding) if finding.what::<ProgramRules>().is_some());
    let seen = rested(&session, &updates);
    assert!(seen.iter().any(has_verdicts) && !seen.iter().any(|update| applied(update).is_some()), "{seen:?}");
    session.send(Request::Look(VisibleJobs { jobs: vec![&APPLIED_RULES], ..VisibleJobs::default() }));
    let seen = until(&updates, |update| applied(update).is_some());
    let AppliedRules(rules) = seen.iter().find_map(applied).expect("the code");
    assert_eq!((rules.applied.program.level, rules.applied.changes.len()), (OptLevel::Whole, 1));
}
