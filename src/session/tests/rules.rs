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
    session.send(Request::Edit(Edit { revision: 1, text: text.into(), at: Instant::now(), fires_in: None }));
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

#[test]
fn rules_of_a_file_fire_in_the_program_of_the_same_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("f.myr");
    std::fs::write(&file, "fn f(n: int) -> int { return n + 0; }\ntest f(2) == 2;\n").expect("written");
    let cpu = Box::new(CpuEngine::with_threads(1));
    let (session, updates) = session(cpu, None, Preference::Cpu, 150, (false, CompareExtent::Off));
    let decided = |update: &Update| match update {
        Update::Found(finding) => finding.what::<ProgramRules>().cloned(),
        _ => None,
    };
    for (revision, fires_in, fired) in
        [(1, Some(file.clone()), 1), (2, Some(folder.path().join("g.myr")), 0), (3, None, 0)]
    {
        let text = format!("//= x + 0 => x\n//= x * {revision} => x\n").into();
        session.send(Request::Edit(Edit { revision, text, at: Instant::now(), fires_in }));
        let seen = until(&updates, |update| decided(update).is_some());
        let rules = seen.iter().find_map(decided).expect("verdicts");
        assert_eq!((rules.lines.len(), rules.applied.fired[0].count), (2, fired), "{revision}");
    }
}
