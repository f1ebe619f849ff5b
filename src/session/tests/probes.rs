//! Probes: after the base, and again in idle time if a run is long.

use super::*;
use crate::testing::probes::{ProbeEnd, Probes};

#[test]
fn probes_follow_the_base_and_long_runs_end_in_idle_time() {
    let cpu = Box::new(CpuEngine::with_threads(1));
    let (session, updates) = session(cpu, None, Preference::Cpu, 150, (false, CompareExtent::Off));
    let text = "fn f(n: int) -> int { while n < 40000 { n += 1; } return n; }\n//? f(39999)\n//? f(0)\n";
    session.send(Request::Edit(Edit { revision: 1, text: text.into(), at: Instant::now(), fires_in: None }));
    let probes = |update: &Update| match update {
        Update::Found(finding) => finding.what::<Probes>().cloned(),
        _ => None,
    };
    let is_whole = |update: &Update| probes(update).is_some_and(|found| !found.is_cut());
    let seen = until(&updates, is_whole);
    let base = seen.iter().position(|update| matches!(update, Update::Base { .. })).expect("a base");
    let first = seen.iter().position(|update| probes(update).is_some()).expect("probes");
    let done = seen.iter().position(|update| matches!(update, Update::Done { .. })).expect("verdicts");
    assert!(base < first && first < done && done < seen.len() - 1, "{seen:?}");
    let ends = |update: &Update| -> Vec<ProbeEnd> {
        probes(update).expect("probes").0.into_iter().map(|probe| probe.end).collect()
    };
    let value = ProbeEnd::Value(crate::engine::explain::Value::Int(40_000));
    assert_eq!(ends(&seen[first]), [value.clone(), ProbeEnd::Cut]);
    assert_eq!(ends(&seen[seen.len() - 1]), [value.clone(), value]);
    // A text without probes has no such result.
    edit(&session, 2);
    assert!(rested(&session, &updates).iter().all(|update| probes(update).is_none()));
}
