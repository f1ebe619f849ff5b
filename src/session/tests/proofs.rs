//! Proofs about survivors while the user is idle.

use super::*;
use crate::session::job::PROOFS;

/// `>` → `>=` survives, and only the prover shows that it is equivalent. `n > 3` is tested on one side only.
const TEXT: &str = "\
fn largest(xs: [int; 8]) -> int {
    let m = 0;
    for x in xs { if x > m { m = x; } }
    return m;
}
fn step(n: int) -> int { if n > 3 { return n * 2; } return n; }
test largest([3, 9, 4]) == 9;
test largest([]) == 0;
test step(1) == 1;
";

fn judging(extent: CompareExtent) -> (Session, Receiver<Update>) {
    session(Box::new(CpuEngine::with_threads(1)), None, Preference::Cpu, 100, (false, extent))
}

fn send(session: &Session, revision: u64, text: &str) {
    session.send(Request::Edit(Edit { revision, text: text.into(), at: Instant::now(), fires_in: None }));
}

fn proofs(update: &Update) -> Option<&Proofs> {
    match update {
        Update::Found(finding) => finding.what(),
        _ => None,
    }
}

fn symbolic(update: &Update) -> usize {
    let Update::Proved { proved, .. } = update else { return 0 };
    proved.equal.values().filter(|equality| equality.text().contains("symbolic proof")).count()
}

fn by_prover(update: &Update) -> usize {
    let Update::Proved { proved, .. } = update else { return 0 };
    proved.by_prover.len()
}

#[test]
fn survivors_are_proved_when_idle_and_stay_so_where_the_function_is_unchanged() {
    let (session, updates) = judging(CompareExtent::Sample);
    send(&session, 1, TEXT);
    let seen = until(&updates, |update| proofs(update).is_some_and(|proofs| proofs.left == 0));
    assert!(seen.iter().any(|update| symbolic(update) > 0));
    assert!(seen.iter().all(|update| by_prover(update) >= symbolic(update)));
    let last = proofs(seen.last().expect("an update")).expect("proofs");
    let open: Vec<_> = last.found.values().filter_map(|proof| proof.open.as_ref()).collect();
    assert!(open.iter().any(|open| open.test.as_deref() == Some("test step(4) == 8;")), "{open:?}");
    assert!(last.found.values().all(|proof| !proof.steps.is_empty()));
    // Another function changes: the proof is there as soon as the text is judged.
    send(&session, 2, &TEXT.replace("n * 2", "n * 3"));
    let seen = until(&updates, |update| matches!(update, Update::Proved { revision: 2, .. }));
    assert!(symbolic(seen.last().expect("an update")) > 0);
    assert!(by_prover(seen.last().expect("an update")) > 0);
    assert!(!seen.iter().any(|update| proofs(update).is_some()));
}

#[test]
fn survivors_are_proved_without_idle_work_only_while_their_panel_is_open() {
    let (session, updates) = judging(CompareExtent::Off);
    send(&session, 1, TEXT);
    let seen = rested(&session, &updates);
    assert!(!seen.iter().any(|update| proofs(update).is_some()));
    session.send(Request::Look(VisibleJobs { jobs: vec![&PROOFS], function: None, ..VisibleJobs::default() }));
    until(&updates, |update| proofs(update).is_some_and(|proofs| proofs.left == 0));
}
