//! The Neural panel: its requests, and the display of the answers.

use std::sync::Arc;
use std::time::Duration;

use myriad::engine::choose::Preference;
use myriad::lang::index::{EntryId, Index, RoutineId};
use myriad::lang::level::LevelChoice;
use myriad::learned::synthesis::compile::Compilation;
use myriad::learned::synthesis::search::{
    Bound, Evidence, Failures, Judged, Proof, Round, SearchResult, Tested,
};
use myriad::network::sampling::{Agreement, Candidate, SampleTimings, Sampling, Status};
use myriad::network::vocabulary::{Family, PLAIN};
use myriad::network::{assembler, source, target};
use myriad::session::job::{JobResult, NEURAL, NOISE, PROOFS, ROUTER, SURVIVORS, VALUES};
use myriad::session::{Finding, Neural, Routing, Update, VisibleJobs};
use myriad::testing::decide::{MutantKills, Ways};
use myriad::workbench::event::{Effect, Event};
use myriad::workbench::state::State;

use super::engine::{answered, found};
use super::harness::{picture, picture_at, type_keys};

pub const PROGRAM: &str = "\
fn twice(n: int) -> int {
    return n + n;
}

fn total(xs: [int]) -> int {
    let sum = 0;
    for x in xs {
        sum += ‸x;
    }
    return sum;
}

test total([1, 2, 3]) == 6;
test twice(4) == 8;
";

/// Sends a result for `total`.
pub fn tell(state: &mut State, what: impl JobResult) {
    found(state, Some(RoutineId::new(1)), what);
}

/// Candidates for `total`: the compiler's own code, one that differs in an instruction, and an invalid one.
pub fn compilation(state: &State) -> Compilation {
    let compiled = &state.shown().expect("an answer").compiled;
    let program = compiled.program();
    let source = source::read(&program, RoutineId::new(1)).expect("within reach");
    let own = target::write(&program, RoutineId::new(1), &source.tables).expect("within reach");
    let add = |word: &u16| {
        Family::of(*word).is_some_and(|(f, i)| f == Family::Plain && PLAIN[i as usize].name() == "BINARY_ADD")
    };
    let mut other = own.clone();
    let at = other.iter().position(add).expect("a sum");
    other[at] = myriad::network::vocabulary::plain(myriad::lang::opcode::Op::Or).expect("a word");
    let origin = compiled.executable.end();
    let candidate = |number, samples, words: &[u16], status| Candidate {
        number,
        samples,
        words: words.to_vec(),
        code: assembler::assemble(&source.tables, words, origin).unwrap_or_default(),
        log_p: -0.25 * (1 + number) as f32,
        shares: vec![0.5; words.len()],
        status,
        differing: (status == Status::Wrong).then_some(EntryId::FIRST),
        passed: if status == Status::Passed { 2 } else { 0 },
        steps: 40 - u64::from(number),
    };
    let judged = |candidate: Candidate, evidence| Judged {
        candidate,
        round: 0,
        chosen_by: Agreement::NOTHING,
        evidence,
        inputs: 0,
        decision: None,
    };
    let wrong = candidate(1, 9, &other, Status::Wrong);
    let invalid = candidate(5, 2, &own[..4], Status::Invalid);
    let mut failures = Failures::default();
    failures.add(&wrong);
    failures.add(&invalid);
    let candidates = vec![
        judged(candidate(0, 54, &own, Status::Passed), Evidence::Proved(Proof::SameBytecode)),
        judged(wrong, Evidence::Differs),
        judged(invalid, Evidence::Differs),
    ];
    let found = SearchResult {
        rounds: vec![Round {
            sampling: Sampling { k: 64, ..Sampling::default() },
            failures,
            left: 1.0,
            spent: SampleTimings { generating: Duration::from_millis(80), verifying: Duration::from_millis(6) },
        }],
        given_up: None,
        candidates,
        best: Some(0),
        tested: None,
        base_steps: 40,
        spent: 256,
        uniform: Some(3_000),
        confidence: 0.95,
    };
    Compilation { source, own_words: Some(own), found, wall: Duration::from_millis(120) }
}

#[test]
fn visible_panel_requests_the_function_under_the_cursor() {
    let mut state = answered(PROGRAM);
    let asked = |effects: Vec<Effect>| -> Vec<VisibleJobs> {
        effects
            .into_iter()
            .filter_map(|e| if let Effect::Look(looked) = e { Some(looked) } else { None })
            .collect()
    };
    let of = |function| VisibleJobs {
        jobs: vec![&NEURAL, &SURVIVORS, &PROOFS],
        function: Some(function),
        ..VisibleJobs::default()
    };
    assert_eq!(asked(type_keys(&mut state, "<alt-n>")), [of(RoutineId::new(1))]);
    assert_eq!(asked(type_keys(&mut state, "<alt-1><left>")), [], "nothing new, nothing asked");
    assert_eq!(asked(type_keys(&mut state, "<ctrl-home>")), [of(RoutineId::new(0))]);
    assert_eq!(
        asked(type_keys(&mut state, "<alt-2>")),
        [VisibleJobs { jobs: vec![&SURVIVORS, &PROOFS], ..VisibleJobs::default() }],
        "another panel took the place"
    );
}

#[test]
fn restarted_engine_gets_the_same_requests() {
    let mut state = answered(PROGRAM);
    picture_at(&mut state, 160, 50);
    type_keys(&mut state, "<alt-n>");
    state.apply(Event::EngineStopped("the engine thread ended".into()));
    let looked = VisibleJobs {
        jobs: vec![&NEURAL, &SURVIVORS, &PROOFS, &VALUES],
        function: Some(RoutineId::new(1)),
        ..VisibleJobs::default()
    };
    let asked = [
        Effect::RestartEngine,
        Effect::Use(Preference::Auto),
        Effect::Optimize(LevelChoice::default()),
        Effect::Look(looked),
    ];
    assert_eq!(type_keys(&mut state, "<f9>"), asked);
    type_keys(&mut state, "<alt-o>");
    state.apply(Event::EngineStopped("the engine thread ended".into()));
    let looked = VisibleJobs {
        jobs: vec![&NEURAL, &NOISE, &SURVIVORS, &PROOFS, &VALUES],
        function: Some(RoutineId::new(1)),
        ..VisibleJobs::default()
    };
    assert!(type_keys(&mut state, "<f9>").contains(&Effect::Look(looked)));
}

#[test]
fn panel_shows_candidates_then_the_outcome() {
    let mut state = answered(PROGRAM);
    type_keys(&mut state, "<alt-n><f7>");
    let done = compilation(&state);
    tell(&mut state, Neural::SamplingArgs(vec![]));
    tell(&mut state, Neural::SamplingArgs(vec![done.found.candidates[1].candidate.clone()]));
    let drawing = picture_at(&mut state, 60, 16);
    assert!(drawing.contains("total: 1 candidate so far") && drawing.contains("wrong"), "{drawing}");
    tell(&mut state, Neural::Done(Arc::new(done)));
    let proved = picture_at(&mut state, 60, 30);
    assert!(proved.contains("the network was taught level 1 of 20"), "{proved}");
    insta::assert_snapshot!("neural_proved_60x30", proved);

    let mut other = compilation(&state);
    other.found.best = Some(1);
    other.found.candidates[1].evidence = Evidence::Tested(Tested {
        deciding: 69_632,
        random: 4_200,
        ways: Ways { taken: 14, all: 14 },
        kills: Some(MutantKills { killed: 31, all: 33 }),
        bound: Some(Bound { error: 0.001, confidence: 0.95 }),
    });
    tell(&mut state, Neural::Done(Arc::new(other)));
    insta::assert_snapshot!("neural_faster_60x40", picture_at(&mut state, 60, 40));

    let mut unproved = compilation(&state);
    unproved.found.best = None;
    unproved.found.tested = Some(0);
    unproved.found.candidates[0].evidence = Evidence::Tested(Tested { random: 256, ..Tested::default() });
    tell(&mut state, Neural::Done(Arc::new(unproved)));
    let panel = picture_at(&mut state, 60, 40);
    assert!(panel.contains("the compiler's code stays: no candidate is proved"), "{panel}");
    assert!(panel.contains("not chosen: tested (no difference on 256 inputs)"), "{panel}");

    let mut none = compilation(&state);
    none.found.best = None;
    tell(&mut state, Neural::Done(Arc::new(none)));
    assert!(picture(&state).contains("no correct program"), "{}", picture(&state));
}

#[test]
fn answers_to_older_texts_are_dropped() {
    let mut state = answered(PROGRAM);
    type_keys(&mut state, "<alt-n>");
    let old = Finding::new(state.document.revision - 1, Some(RoutineId::new(1)), Neural::Refused("old".into()));
    let update = Update::Found(old);
    state.apply(Event::Engine { update: update.into(), since: Duration::ZERO });
    assert!(!picture(&state).contains("old"));
    tell(&mut state, Neural::Refused("no weights are shipped".into()));
    assert!(picture(&state).contains("total: no weights"), "{}", picture(&state));
}

#[test]
fn router_panel_shows_the_route_of_the_function_under_cursor() {
    use myriad::learned::hybrid::{self, Path, Router, Settings};
    let mut state = answered(PROGRAM);
    let effects = type_keys(&mut state, "<alt-r>");
    let looked = VisibleJobs {
        jobs: vec![&ROUTER, &SURVIVORS, &PROOFS],
        function: Some(RoutineId::new(1)),
        ..VisibleJobs::default()
    };
    assert!(effects.contains(&Effect::Look(looked)), "{effects:?}");
    tell(&mut state, Routing::default());
    assert!(picture(&state).contains("total: waiting"), "{}", picture(&state));
    let mut engine = myriad::engine::cpu::CpuEngine::with_threads(1);
    let text = state.shown().expect("an answer").compiled.text.clone();
    let compiled = myriad::engine::Engine::base(&mut engine, &text, &|| false).expect("a program").compiled;
    let coefficients = hybrid::model::Model::shipped().coefficients();
    let mut router = Router::new(Settings::default(), coefficients);
    let mut outcome =
        hybrid::compile(&mut engine, &compiled, RoutineId::new(1), None, &mut router, &|| false, &mut |_| {})
            .expect("a result");
    assert_eq!(outcome.path, Path::Traditional);
    outcome.reason = "a reason".to_string();
    tell(&mut state, Routing { provisional: true, ..Routing::default() });
    assert!(picture(&state).contains("provisional"), "{}", picture(&state));
    let outcome = Some(Arc::new(outcome));
    tell(&mut state, Routing { outcome: outcome.clone(), ..Routing::default() });
    let drawing = picture_at(&mut state, 120, 50);
    for said in [
        "total: traditional",
        "a reason",
        "(modelled)",
        "(measured)",
        "loops",
        "θ −∞",
        "trying the neural",
        "p says no more",
        "p =",
    ] {
        assert!(drawing.contains(said), "{said} in\n{drawing}");
    }
    tell(
        &mut state,
        Routing { outcome: outcome.clone(), other: outcome.clone(), done: true, ..Routing::default() },
    );
    let drawing = picture_at(&mut state, 120, 40);
    assert!(drawing.contains("the neural path takes") && !drawing.contains("trying"), "{drawing}");
    // Nothing is predicted for a function that the network refuses.
    let mut refused = outcome.as_deref().expect("an outcome").clone();
    refused.decision.refused = Some(source::Unsupported::Untaught(7));
    tell(&mut state, Routing { outcome: Some(Arc::new(refused)), ..Routing::default() });
    let drawing = picture_at(&mut state, 120, 50);
    assert!(drawing.contains("cannot compile it") && !drawing.contains("p ="), "{drawing}");
    // Another panel in its place requests its own job.
    let effects = type_keys(&mut state, "<alt-n>");
    let asks = |effect: &Effect| match effect {
        Effect::Look(VisibleJobs { jobs, function, .. }) => {
            jobs.contains(&&NEURAL) && !jobs.contains(&&ROUTER) && *function == Some(RoutineId::new(1))
        }
        _ => false,
    };
    assert!(effects.iter().any(asks), "{effects:?}");
}

/// Puts the cursor at each `‸` in turn, and returns the function that the panel requests there.
fn wishes(text: &str, panel: &str) -> Vec<Option<RoutineId>> {
    let places: Vec<usize> = text.match_indices('‸').map(|(at, _)| at).collect();
    let plain = text.replace('‸', "");
    let wish = |(number, at): (usize, &usize)| {
        let mut marked = plain.clone();
        marked.insert(at - number * '‸'.len_utf8(), '‸');
        let mut state = answered(&marked);
        type_keys(&mut state, panel);
        state.engine.looked.function
    };
    places.iter().enumerate().map(wish).collect()
}

#[test]
fn a_function_reaches_from_its_fn_to_its_closing_brace() {
    let text = "\
‸// Of none.
‸fn one(n: int) -> int {
  ‸  // A comment ‸within.
‸
    return n;  ‸  // behind
}‸
‸
‸fn two(n: int) -> int { return‸ n; }‸fn three() -> int {‸ return 3; }

test one(1) == ‸1;
‸";
    let expected = [
        None,
        Some(0),
        Some(0),
        Some(0),
        Some(0),
        Some(0),
        Some(0),
        None,
        Some(1),
        Some(1),
        Some(2),
        Some(2),
        None,
        None,
    ];
    for panel in ["<alt-n>", "<alt-r>"] {
        assert_eq!(wishes(text, panel), expected.map(|function| function.map(RoutineId::new)), "{panel}");
    }
}

#[test]
fn panels_outside_a_function_say_so() {
    for (panel, job) in [("<alt-n>", &NEURAL), ("<alt-r>", &ROUTER)] {
        let mut state = answered(PROGRAM);
        picture_at(&mut state, 160, 50);
        type_keys(&mut state, panel);
        assert!(!picture(&state).contains("not in a function"));
        // The blank line between two functions, reached from the editor.
        let effects = type_keys(&mut state, "<alt-1><ctrl-home><down><down><down>");
        let looked = VisibleJobs {
            jobs: vec![job, &SURVIVORS, &PROOFS, &VALUES],
            function: None,
            ..VisibleJobs::default()
        };
        assert!(effects.contains(&Effect::Look(looked)), "nothing is asked for: {effects:?}");
        assert!(picture(&state).contains("the cursor is not in a function"), "{}", picture(&state));
        type_keys(&mut state, "<down>");
        assert!(!picture(&state).contains("not in a function"), "{}", picture(&state));
        // In a list it is the function of the selected row.
        type_keys(&mut state, "<alt-6><home>");
        assert!(picture(&state).contains("the cursor is not in a function"), "a test is in none");
    }
}

#[test]
fn typed_code_belongs_to_the_enclosing_function() {
    let mut state = answered(PROGRAM);
    // Not answered yet, and then with an error.
    type_keys(&mut state, "<alt-n><alt-1><end><enter>let y =");
    assert_eq!(state.function_under_cursor(), Some(RoutineId::new(1)));
    super::engine::answer(&mut state);
    assert!(state.shown().is_some_and(|shown| shown.has_errors()));
    assert_eq!(state.function_under_cursor(), Some(RoutineId::new(1)));
    type_keys(&mut state, "<ctrl-end><enter>// below everything");
    assert_eq!(state.function_under_cursor(), None);
    assert!(picture(&state).contains("the cursor is not in a function"), "{}", picture(&state));
}
