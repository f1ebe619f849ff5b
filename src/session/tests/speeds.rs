//! `auto` chooses by the times of each program, which the engines' comparison measures too.

use super::comparison::compared;
use super::*;

/// A session of a CPU engine and a device, of which one takes 2 ms for a mutant and the other almost no time.
fn two_speeds(faster: Kind, hardware: bool, preferred: bool) -> (Session, Receiver<Update>) {
    let device = move || Fake { hardware, slow: faster == Kind::Cpu, ..Fake::default() };
    let fakes = Fakes { make: Box::new(device), preferred, pieces: (1, Duration::ZERO) };
    let cpu = Fake { slow: faster == Kind::Gpu, ..Fake::default() };
    let devices = Some(Arc::new(fakes) as Arc<dyn Devices>);
    session(Box::new(cpu), devices, Preference::Auto, 100, (false, CompareExtent::Sample))
}

/// Edits the text and waits until the other engine has judged its mutants, all or as many as the time limit allows. Returns
/// the engine that served, and the last reason.
fn judged_by_both(session: &Session, updates: &Receiver<Update>, revision: u64) -> (Kind, String) {
    edit(session, revision);
    let ended = |progress| [Progress::Done, Progress::TooSlow].contains(&progress);
    let seen = until(updates, |u| compared(u).is_some_and(|compared| ended(compared.progress)));
    let other = seen.last().and_then(compared).map(|compared| compared.other.as_str());
    let by = if other == Some("fake Gpu") { Kind::Cpu } else { Kind::Gpu };
    let reason = |update: &Update| match update {
        Update::Engine { reason, .. } => Some(reason.clone()),
        _ => None,
    };
    (by, seen.iter().rev().find_map(reason).unwrap_or_default())
}

#[test]
fn engine_that_is_faster_at_a_program_serves_its_next_text() {
    for (faster, preferred) in [(Kind::Cpu, false), (Kind::Cpu, true), (Kind::Gpu, false), (Kind::Gpu, true)] {
        let (session, updates) = two_speeds(faster, true, preferred);
        let (begins, short) = if preferred { (Kind::Gpu, "GPU") } else { (Kind::Cpu, "CPU") };
        let (by, reason) = judged_by_both(&session, &updates, 1);
        assert!(by == begins && reason.starts_with(&format!("auto: {short} ")), "{reason}");
        assert_eq!(reason.ends_with(", which takes over at the next key"), begins != faster, "{reason}");
        let (by, reason) = judged_by_both(&session, &updates, 2);
        assert!(by == faster && !reason.contains("takes over"), "{reason}");
    }
}

#[test]
fn trial_makes_no_verdict_stale() {
    let (session, updates) = two_speeds(Kind::Gpu, true, false);
    edit(&session, 1);
    let taking_over = |u: &Update| matches!(u, Update::Engine { reason, .. } if reason.contains("takes over"));
    let mut seen = until(&updates, taking_over);
    std::thread::sleep(Duration::from_millis(50));
    seen.extend(updates.try_iter());
    let bases = seen.iter().filter(|u| matches!(u, Update::Base { .. })).count();
    let ends = seen.iter().filter(|u| matches!(u, Update::Done { .. })).count();
    assert_eq!((bases, ends), (1, 1), "the text is judged once");
}

#[test]
fn software_adapter_is_never_tried() {
    let (session, updates) = two_speeds(Kind::Gpu, false, false);
    let (_, reason) = judged_by_both(&session, &updates, 1);
    assert_eq!(reason, "only software adapters found");
    assert_eq!(judged_by_both(&session, &updates, 2).0, Kind::Cpu);
}
