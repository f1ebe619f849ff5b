//! Comparing engines while the user is idle.

use super::*;
use crate::lang::index::{Index, MutantId};

pub fn compared(update: &Update) -> Option<&Compared> {
    match update {
        Update::Found(finding) => finding.what::<Compared>(),
        _ => None,
    }
}

#[test]
fn comparison_of_equal_engines_reports_counts_and_no_difference() {
    let (session, updates) =
        start(Fake::default(), devices(Fake::default), Preference::Auto, CompareExtent::All);
    edit(&session, 1);
    let seen = until(&updates, |u| compared(u).is_some_and(|c| c.checked == 150));
    assert!(seen.iter().filter_map(compared).all(|c| c.difference.is_none()));
    let last = seen.last().and_then(compared).unwrap();
    assert_eq!((last.progress, last.of, last.total), (Progress::Done, 150, 150));
    assert!(last.energy.is_some_and(|energy| energy.joules > 0.0), "what it took is counted");
    let first = seen.iter().find_map(compared).unwrap();
    assert_eq!((first.progress, first.other.as_str()), (Progress::Preparing, "fake device"), "it is announced");
}

#[test]
fn sample_comparison_checks_a_part_of_the_mutants() {
    let (session, updates) =
        start(Fake::default(), devices(Fake::default), Preference::Auto, CompareExtent::Sample);
    edit(&session, 1);
    let seen = until(&updates, |u| compared(u).is_some_and(|c| c.progress == Progress::Done));
    let last = seen.last().and_then(compared).unwrap();
    assert_eq!((last.checked, last.of, last.total), (128, 128, 150));
}

/// Building an engine that nobody needs pauses when the processor budget is used up, and reports nothing
/// meanwhile. When the user looks at a panel that only this engine fills, building continues without pauses and
/// reports each step.
#[test]
fn visible_panel_makes_its_engine_build_without_pauses() {
    let slow = || Fakes { pieces: (5, Duration::from_millis(700)), ..devices(Fake::default).expect("some") };
    let of = |update: &Update| compared(update).map(|c| (c.progress, c.checked, c.of));
    let (session, updates) = start(Fake::default(), Some(slow()), Preference::Auto, CompareExtent::Sample);
    edit(&session, 1);
    let seen = until(&updates, |u| of(u).is_some_and(|(progress, ..)| progress == Progress::Waiting));
    assert!(of(&seen[seen.len() - 1]).is_some_and(|(_, done, of)| done < 4 && of == 5), "{seen:?}");
    session.send(Request::Look(VisibleJobs { jobs: vec![&ROUNDS], function: None, ..VisibleJobs::default() }));
    let seen = until(&updates, |u| of(u) == Some((Progress::Preparing, 4, 5)));
    assert!(!seen.iter().filter_map(of).any(|(progress, ..)| progress == Progress::Waiting), "{seen:?}");
}

#[test]
fn engine_difference_is_reported_with_its_mutant() {
    let odd = devices(|| Fake { odd: Some(MutantId::new(70)), ..Fake::default() });
    let (session, updates) = start(Fake::default(), odd, Preference::Auto, CompareExtent::All);
    edit(&session, 1);
    let seen = until(&updates, |u| compared(u).is_some_and(|c| c.difference.is_some()));
    let text = seen.last().and_then(compared).and_then(|c| c.difference.clone()).unwrap();
    assert!(text.contains("mutant 70"), "{text}");
}

#[test]
fn an_engine_asked_for_by_name_is_the_only_one_used() {
    let asked = Arc::new(Mutex::new(0));
    let count = asked.clone();
    let counting = devices(move || Fake { asked: count.clone(), ..Fake::default() });
    let (session, updates) = start(Fake::default(), counting, Preference::Cpu, CompareExtent::All);
    edit(&session, 1);
    let seen = rested(&session, &updates);
    assert_eq!((*asked.lock().unwrap(), seen.iter().filter_map(compared).count()), (0, 0));
    // The CPU engine does nothing if the GPU engine was requested.
    let cpu = Fake::default();
    let asked = cpu.asked.clone();
    let (session, updates) = start(cpu, devices(Fake::default), Preference::Gpu, CompareExtent::All);
    edit(&session, 1);
    let seen = rested(&session, &updates);
    assert_eq!((*asked.lock().unwrap(), seen.iter().filter_map(compared).count()), (0, 0));
}

#[test]
fn idle_session_without_comparison_does_no_work() {
    let asked = Arc::new(Mutex::new(0));
    let count = asked.clone();
    let counting = devices(move || Fake { asked: count.clone(), ..Fake::default() });
    let (session, updates) = start(Fake::default(), counting, Preference::Auto, CompareExtent::Off);
    edit(&session, 1);
    let seen = rested(&session, &updates);
    assert_eq!(*asked.lock().unwrap(), 0);
    assert!(!seen.iter().any(|u| matches!(u, Update::Found(_))));
}
