//! `auto` chooses by the times of each program, which the engines' comparison measures too.

use super::comparison::compared;
use super::*;

/// A session of a CPU engine and a device, of which one takes 2 ms for a mutant and the other almost no time.
fn two_speeds(faster: Kind, hardware: bool, preferred: bool) -> (Session, Receiver<Update>) {
    let device = move || Fake { hardware, slow: faster == Kind::Cpu, ..Fake::default() };
    let fakes = Fakes { make: Box::new(device), preferred, pieces: (1, Duration::ZERO) };
    let cpu = Fake { slow: faster == Kind::Gpu, ..Fake::default() };
    start(cpu, Some(fakes), Preference::Auto, CompareExtent::Sample)
}

/// Edits the text and waits until the other engine has compared its mutants. Returns the engine that served and the number of
/// mutants compared, and the last reason.
fn compared_text(session: &Session, updates: &Receiver<Update>, revision: u64) -> (Kind, u32, String) {
    edit(session, revision);
    let is_compared = |u: &Update| compared(u).is_some_and(|c| c.progress == Progress::Done && c.checked > 0);
    let mut seen = until(updates, is_compared);
    std::thread::sleep(Duration::from_millis(10));
    seen.extend(updates.try_iter());
    let checked = seen.iter().filter_map(compared).last().map_or(0, |compared| compared.checked);
    let other = seen.iter().filter_map(compared).last().map(|compared| compared.other.clone());
    let by = if other.as_deref() == Some("fake Gpu") { Kind::Cpu } else { Kind::Gpu };
    let last = |update: &Update| match update {
        Update::Engine { reason, .. } => Some(reason.clone()),
        _ => None,
    };
    (by, checked, seen.iter().rev().find_map(last).unwrap_or_default())
}

#[test]
fn engine_that_is_faster_at_a_program_serves_its_next_texts() {
    for (faster, preferred) in [(Kind::Cpu, false), (Kind::Cpu, true), (Kind::Gpu, false), (Kind::Gpu, true)] {
        let (session, updates) = two_speeds(faster, true, preferred);
        let first = compared_text(&session, &updates, 1);
        let begins = if preferred { Kind::Gpu } else { Kind::Cpu };
        assert_eq!((first.0, first.1), (begins, 150), "the trial judges the mutants that are due anyway");
        let takes_over = first.2.ends_with(", which takes over at the next key");
        assert!(
            first.2.starts_with(&format!("auto: {}", if preferred { "GPU" } else { "CPU" })),
            "{}",
            first.2
        );
        assert_eq!(takes_over, begins != faster, "{}", first.2);
        for revision in 2..4 {
            let (by, _, reason) = compared_text(&session, &updates, revision);
            assert_eq!(by, faster, "{revision}: {reason}");
            assert!(!reason.contains("takes over"), "{reason}");
        }
    }
}

#[test]
fn trial_makes_no_verdict_stale() {
    let (session, updates) = two_speeds(Kind::Gpu, true, false);
    edit(&session, 1);
    let seen = rested(&session, &updates);
    let count = |of: fn(&Update) -> bool| seen.iter().filter(|update| of(update)).count();
    assert_eq!(count(|u| matches!(u, Update::Base { .. })), 1, "the text is judged once");
    let taking_over = |u: &Update| matches!(u, Update::Engine { reason, .. } if reason.contains("takes over"));
    assert!(seen.iter().any(taking_over) && count(|u| matches!(u, Update::Done { .. })) == 1);
}

#[test]
fn software_adapter_is_never_tried() {
    let (session, updates) = two_speeds(Kind::Gpu, false, false);
    for revision in 1..3 {
        let (by, checked, reason) = compared_text(&session, &updates, revision);
        assert_eq!((by, checked), (Kind::Cpu, 128));
        assert!(revision > 1 || reason == "only software adapters found", "{reason}");
    }
}
