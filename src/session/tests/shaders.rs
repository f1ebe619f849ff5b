//! Texts that go through the shaders at once, the effect on comparing mutants, and all engines together.

use super::comparison::compared;
use super::*;

fn shaders(update: &Update) -> Option<&Shaders> {
    match update {
        Update::Found(finding) => finding.what::<Shaders>(),
        _ => None,
    }
}

#[test]
fn every_edit_is_compiled_once_by_the_shaders() {
    let asked = Arc::new(Mutex::new(0));
    let count = asked.clone();
    let counting = devices(move || Fake { asked: count.clone(), ..Fake::default() });
    let (session, updates) = begin(Fake::default(), counting, Preference::Auto, (true, CompareExtent::Off));
    // Once the engine is built, every text goes through it.
    edit(&session, 1);
    until(&updates, |u| shaders(u).is_some());
    for revision in 2..10 {
        edit(&session, revision);
        let seen = until(&updates, |u| shaders(u).is_some());
        assert!(seen.iter().any(|u| matches!(u, Update::Done { revision: done, .. } if *done == revision)));
        let found = seen.last().and_then(shaders).unwrap();
        assert_eq!((found.adapter.as_str(), &found.difference), ("fake Gpu", &None));
        assert!(found.timings.is_some() && found.all.joules >= found.energy.joules);
        assert!(seen.iter().filter_map(compared).count() == 0, "mutants are not compared");
    }
    assert_eq!(*asked.lock().unwrap(), 9, "each text once");
}

#[test]
fn mutant_comparison_reuses_the_program_compiled_by_shaders() {
    let asked = Arc::new(Mutex::new(0));
    let count = asked.clone();
    let counting = devices(move || Fake { asked: count.clone(), ..Fake::default() });
    let (session, updates) = begin(Fake::default(), counting, Preference::Auto, (true, CompareExtent::All));
    edit(&session, 1);
    let seen = until(&updates, |u| compared(u).is_some_and(|c| c.progress == Progress::Done));
    assert!(seen.iter().any(|u| shaders(u).is_some()), "first the text, then its mutants");
    assert_eq!(seen.last().and_then(compared).unwrap().checked, 150);
    assert_eq!(*asked.lock().unwrap(), 1, "the text is compiled once");
}

#[test]
fn differing_base_results_end_the_comparison() {
    let wrong = devices(|| Fake { wrong: true, ..Fake::default() });
    let (session, updates) = begin(Fake::default(), wrong, Preference::Auto, (true, CompareExtent::All));
    edit(&session, 1);
    let mut seen = until(&updates, |u| shaders(u).is_some());
    assert!(seen.last().and_then(shaders).unwrap().difference.as_ref().is_some_and(|d| d.contains("test 0")));
    std::thread::sleep(Duration::from_millis(100));
    seen.extend(updates.try_iter());
    let last = seen.iter().rev().find_map(compared).unwrap();
    assert!(last.difference.is_some() && last.checked == 0, "{last:?}");
}

#[test]
fn rebuilt_device_compiles_the_text_again() {
    let asked = Arc::new(Mutex::new(0));
    let count = asked.clone();
    // The first engine breaks at its first mutants; the rebuilt one holds no program.
    let built = Mutex::new(0);
    let breaking = devices(move || {
        *built.lock().unwrap() += 1;
        Fake { asked: count.clone(), fragile: *built.lock().unwrap() == 1, ..Fake::default() }
    });
    let (session, updates) = begin(Fake::default(), breaking, Preference::Auto, (true, CompareExtent::All));
    edit(&session, 1);
    let seen = until(&updates, |u| compared(u).is_some_and(|c| c.progress == Progress::Done));
    assert!(seen.iter().any(|u| matches!(u, Update::Notice(text) if text.contains("unplugged"))));
    assert_eq!((*asked.lock().unwrap(), seen.iter().filter(|u| shaders(u).is_some()).count()), (2, 2));
}

#[test]
fn engine_requested_by_name_disables_shader_comparison() {
    for choice in [Preference::Cpu, Preference::Gpu, Preference::All] {
        let (session, updates) =
            begin(Fake::default(), devices(Fake::default), choice, (true, CompareExtent::All));
        edit(&session, 1);
        let seen = rested(&session, &updates);
        assert!(!seen.iter().any(|u| shaders(u).is_some() || compared(u).is_some()), "{choice:?}");
    }
}

#[test]
fn all_engines_serve_once_the_device_is_ready() {
    let (session, updates) =
        start(Fake::default(), devices(Fake::default), Preference::Cpu, CompareExtent::All);
    let served = |name: &'static str| move |u: &Update| matches!(u, Update::Engine { description, .. } if description == name);
    let judged = |u: &Update| matches!(u, Update::Done { revision: 1, .. });
    edit(&session, 1);
    until(&updates, judged);
    session.send(Request::Use(Preference::Gpu));
    until(&updates, served("fake Gpu"));
    until(&updates, judged);
    session.send(Request::Use(Preference::All));
    until(&updates, served("fake Gpu + fake Cpu"));
    let seen = until(&updates, judged);
    assert!(seen.iter().any(|u| matches!(u, Update::Base { .. })), "it is judged again");
    session.send(Request::Use(Preference::Auto));
    until(&updates, served("fake Cpu"));
    until(&updates, |u| compared(u).is_some_and(|c| c.progress == Progress::Done && c.other == "fake Gpu"));
}
