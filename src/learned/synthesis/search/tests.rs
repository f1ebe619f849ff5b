//! Tests searches with a scripted sampler that covers each path.

mod script;

use super::*;
use crate::network::sampling::Inputs;
use crate::testing::decide::{MutantKills, Ways};
use script::{Act, Decisions, RIGHT, Script, decided, decided_at, play, run};

#[test]
fn same_bytecode_is_proved_without_further_inputs() {
    let (found, script) = play(&[&[Act { samples: 10, ..RIGHT }]], Some(&[7]));
    let best = found.best().unwrap();
    assert_eq!((best.evidence, best.inputs), (Evidence::Proved(Proof::SameBytecode), 0));
    assert_eq!(
        script.compared.iter().map(|(_, inputs)| inputs.count).sum::<u32>(),
        256,
        "only the inputs of choosing are compared"
    );
    assert_eq!((best.steps(), found.base_steps, found.spent), (200, 200, 256));
    // Nine draws plus the greedy candidate, which is not counted.
    assert_eq!((script.asked[0].k, found.drawn(), found.valid(), found.correct()), (10, 9, 9, 9));
}

#[test]
fn fastest_correct_candidate_wins_and_is_tested() {
    let faster = Act { code: 5, samples: 3, steps: 80, log_p: -3.0, ..RIGHT };
    let slower = Act { code: 9, steps: 120, ..RIGHT };
    let (found, script) = play(&[&[RIGHT, faster, slower]], None);
    let best = found.best().unwrap();
    assert_eq!(best.candidate.code, [5]);
    let tested = best.evidence.tested().unwrap();
    assert_eq!(tested.bound, Some(Bound { error: 0.001, confidence: 0.95 }));
    assert_eq!((tested.deciding, tested.random), (100, best.inputs + 256));
    assert_eq!(tested.kills, Some(MutantKills { killed: 9, all: 10 }));
    // Three candidates share the risk, and the slower ones are not compared further.
    assert!(best.inputs > 2995 && found.spent == 3 * 256 + best.inputs);
    assert!(found.uniform.unwrap() > 3 * 2995);
    let seeds: HashSet<u32> = script.compared.iter().map(|(_, inputs)| inputs.seed).collect();
    assert_eq!(seeds.len(), 2, "choosing and the comparison after it use different inputs");
}

#[test]
fn proved_candidate_is_preferred_to_a_faster_one() {
    let faster = Act { code: 5, samples: 3, steps: 80, log_p: -3.0, ..RIGHT };
    let mut decisions = Decisions::default();
    let found = decided_at(Level::Proved, &[RIGHT, faster], Some(&[7]), &mut decisions);
    let best = found.best().unwrap();
    assert_eq!((&best.candidate.code[..], best.evidence), (&[7][..], Evidence::Proved(Proof::SameBytecode)));
    assert!(decisions.asked.is_empty(), "no input is spent on a candidate that would not be chosen");
    assert_eq!(found.tested().unwrap().candidate.code, [5], "it is listed");
    // Only a lower level of evidence lets it win.
    let found = decided(&[RIGHT, faster], Some(&[7]), &mut decisions);
    let best = found.best().unwrap();
    assert_eq!((&best.candidate.code[..], best.evidence.level()), (&[5][..], Some(Level::Tested)));
    assert_eq!((found.tested(), decisions.asked), (None, vec![5]));
}

#[test]
fn tested_candidate_does_not_replace_the_compilers_code() {
    let found = decided_at(Level::Proved, &[RIGHT], None, &mut Decisions::default());
    assert_eq!(found.best(), None);
    assert_eq!(found.tested().unwrap().evidence.level(), Some(Level::Tested));
    // Without adequate inputs, the candidate is not *tested*: it only passes the tests.
    let mut decisions = Decisions { own_unreached: true, ..Decisions::default() };
    let found = decided(&[RIGHT], None, &mut decisions);
    assert_eq!((found.best(), found.tested().unwrap().evidence.level()), (None, Some(Level::Tests)));
    let found = decided_at(Level::Tests, &[RIGHT], None, &mut Decisions::default());
    assert_eq!(found.best().unwrap().evidence.level(), Some(Level::Tests));
}

#[test]
fn uncovered_branch_limits_the_level_of_evidence() {
    let other = Act { code: 8, steps: 120, ..RIGHT };
    let mut decisions = Decisions { unreached: vec![7, 8], ..Decisions::default() };
    let found = decided(&[RIGHT, other], None, &mut decisions);
    let best = found.leading().unwrap();
    assert_eq!(
        (&best.candidate.code[..], best.evidence.level(), best.inputs),
        (&[7][..], Some(Level::Tests), 0)
    );
    assert_eq!(best.decision.as_ref().unwrap().ways(), Ways { taken: 7, all: 8 });
    assert_eq!(decisions.asked, [7, 8], "another candidate may have no such branch");

    // If the branch is in the function's own code, another candidate does not help.
    let mut decisions = Decisions { own_unreached: true, ..Decisions::default() };
    let found = decided(&[RIGHT, other], None, &mut decisions);
    assert_eq!((found.leading().unwrap().evidence.level(), decisions.asked), (Some(Level::Tests), vec![7]));

    let mut decisions = Decisions { unreached: vec![7], ..Decisions::default() };
    let found = decided(&[RIGHT, other], None, &mut decisions);
    let best = found.best().unwrap();
    assert_eq!(best.candidate.code, [8]);
    assert_eq!(best.evidence.level(), Some(Level::Tested));
}

#[test]
fn deciding_input_refutes_a_candidate() {
    let other = Act { code: 8, steps: 120, ..RIGHT };
    let mut decisions = Decisions { quickly: vec![7], ..Decisions::default() };
    let found = decided(&[RIGHT, other], None, &mut decisions);
    assert_eq!((found.rounds[0].failures.refuted, found.correct()), (1, 1));
    let mut decisions = Decisions { told: vec![7], ..Decisions::default() };
    let found = decided(&[RIGHT, other], None, &mut decisions);
    assert_eq!(found.best().unwrap().candidate.code, [8]);
    assert_eq!(found.candidates[0].evidence, Evidence::Differs);
}

/// Engines differ in the last digits of logits, and hence of log p.
#[test]
fn last_digits_of_log_p_do_not_change_the_result() {
    let of = |factor: f32| {
        let act = |code: u32| Act {
            code,
            samples: 1 + code % 3,
            steps: 50 + u64::from(code),
            log_p: -3.7 * code as f32 * factor,
            ..RIGHT
        };
        let acts: Vec<Act> = (1..=9).map(act).collect();
        let mut found = decided(&acts, None, &mut Decisions { told: vec![1, 2], ..Decisions::default() });
        for judged in &mut found.candidates {
            (judged.candidate.log_p, judged.candidate.shares) = (0.0, Vec::new());
        }
        found
    };
    assert!(of(1.0).best().is_some_and(|best| best.inputs > 2_995));
    for factor in [1.0001, 0.9999, 1.3] {
        assert_eq!(of(1.0), of(factor));
    }
}

#[test]
fn disagreeing_candidate_is_rejected_and_the_next_is_compared() {
    // It errs once in 700 inputs, which the 256 inputs of choosing mostly miss.
    let wrong = Act { code: 5, steps: 50, errs: 700, ..RIGHT };
    let right = Act { code: 6, steps: 70, ..RIGHT };
    let (found, script) = play(&[&[wrong, right, RIGHT]], None);
    assert_eq!(found.best().unwrap().candidate.code, [6]);
    assert_eq!(found.candidates[0].evidence, Evidence::Differs);
    assert!(found.candidates[0].inputs < 2995 && found.best().unwrap().inputs > 2995);
    assert_eq!(found.candidates[2].evidence.level(), Some(Level::Tests));
    // No input is used twice.
    let fresh: Vec<Inputs> =
        script.compared.iter().map(|(_, i)| *i).filter(|i| i.seed != script.compared[0].1.seed).collect();
    assert!(fresh.windows(2).all(|two| two[0].first + two[0].count == two[1].first));
}

#[test]
fn candidate_wrong_on_selection_inputs_is_not_correct() {
    let wrong = Act { code: 5, samples: 4, steps: 50, errs: 2, ..RIGHT };
    let (found, _) = play(&[&[RIGHT, wrong]], None);
    assert_eq!((found.correct(), found.valid()), (0, 4), "the greedy candidate is not a draw");
    assert_eq!(found.rounds[0].failures.refuted, 4);
    assert_eq!(found.best().unwrap().candidate.code, [7]);
}

#[test]
fn success_curve_covers_all_counts_up_to_k() {
    let wrong = Act { code: 5, samples: 7, status: Status::Wrong, ..RIGHT };
    let (found, _) = play(&[&[wrong, Act { samples: 3, ..RIGHT }]], None);
    let curve = found.curve();
    assert_eq!(curve.iter().map(|point| point.k).collect::<Vec<_>>(), [1, 2, 5, 9]);
    assert!((curve[0].model - 1.0 / 3.0).abs() < 1e-12 && (curve[0].unbiased - 1.0 / 3.0).abs() < 1e-12);
    // Three of the nine draws are correct. The unbiased estimate of success within nine draws is therefore 1;
    // the model's estimate stays below 1.
    assert!(curve[3].unbiased == 1.0 && curve[3].model < 1.0);
    assert_eq!(found.k_for_99(), Some(12));
    assert!(found.interval().low < 1.0 / 3.0 && found.interval().high > 1.0 / 3.0);
}

#[test]
fn no_error_bound_is_claimed_if_most_inputs_trap() {
    let trapping = Act { code: 5, steps: 50, traps: 1, ..RIGHT };
    let (found, _) = play(&[&[trapping]], None);
    assert_eq!(found.leading().unwrap().evidence.level(), Some(Level::Tests));
    // A proved candidate is preferred, although it is slower.
    let (found, _) = play(&[&[trapping, RIGHT]], Some(&[7]));
    assert_eq!(found.best().unwrap().evidence, Evidence::Proved(Proof::SameBytecode));
    let half = Act { traps: 2, ..trapping };
    let (found, _) = play(&[&[half]], None);
    assert_eq!(found.best().unwrap().evidence.level(), Some(Level::Tested));
}

#[test]
fn base_that_mostly_times_out_ends_the_comparison_early() {
    let of = |loops| {
        let mut script =
            Script { rounds: vec![vec![RIGHT, Act { code: 5, ..RIGHT }]], loops, ..Script::default() };
        let best = run(&mut script, None, None).leading().and_then(|best| best.evidence.level());
        (best, script.compared.iter().map(|(_, inputs)| inputs.count).sum::<u32>())
    };
    // A few inputs for each of the two candidates in choosing, and for the first in line.
    assert_eq!(of(7), (Some(Level::Tests), 3 * 64));
    // Three quarters of the inputs are enough for a bound.
    assert!(matches!(of(2), (Some(Level::Tested), 4_000..)));
}

#[test]
fn a_small_domain_is_exhausted() {
    for (size, more) in [(16, 0), (256, 0), (4_000, 4_000)] {
        let mut script = Script { rounds: vec![vec![RIGHT]], domain: Some(size), ..Script::default() };
        let found = run(&mut script, None, Some(size));
        let best = found.best().unwrap();
        assert_eq!((best.evidence, best.inputs), (Evidence::Proved(Proof::Exhausted), more), "{size}");
    }
}

#[test]
fn round_without_a_correct_candidate_is_followed_by_feedback() {
    let wrong = Act { code: 5, samples: 10, status: Status::Wrong, log_p: -4.0, ..RIGHT };
    let near = Act { errs: 2, samples: 8, log_p: -4.0, ..RIGHT };
    let late = Act { code: 6, ..RIGHT };
    let (found, script) = play(&[&[wrong], &[near], &[late]], None);
    assert_eq!(script.asked.iter().map(|s| (s.first, s.k)).collect::<Vec<_>>(), [(0, 10), (10, 8), (18, 1)]);
    assert!(script.asked.iter().all(|asked| asked.temperature == 1.0));
    // Each batch avoids what failed before it.
    let unlikely = (-4.0f32).exp();
    for (left, failed) in script.left.iter().zip([0.0, 1.0, 2.0]) {
        assert!((left - (1.0 - failed * unlikely)).abs() < 1e-6, "{:?}", script.left);
    }
    assert_eq!((found.best().unwrap().round, found.rounds.len(), found.given_up), (1, 2, None));
    assert!((found.rounds[1].left - script.left[1]).abs() < 1e-9);
    // The reported probability is that of independent draws.
    assert_eq!((found.correct(), found.drawn()), (0, 9));
}

#[test]
fn search_gives_up_if_success_is_improbable() {
    let unlikely = |code: u32| Act { code, samples: 10, status: Status::Wrong, log_p: -9.0, ..RIGHT };
    let (found, script) = play(&[&[unlikely(5)]], None);
    let given_up = found.given_up.unwrap();
    assert_eq!((script.asked.len(), given_up.drawn, given_up.remained, found.best), (1, 9, 18, None));
    assert!(given_up.success > 0.0 && given_up.success < 0.05, "{given_up:?}");
    // Nothing remains if all that the model writes is refuted.
    let certain = Act { log_p: 0.0, ..unlikely(5) };
    let (found, script) = play(&[&[certain]], None);
    assert_eq!((script.asked.len(), found.given_up.map(|given_up| given_up.success)), (1, Some(0.0)));
    // With one round alone, all draws are made.
    let mut script = Script { rounds: vec![vec![certain]], ..Script::default() };
    let settings = SearchSettings {
        sampling: Sampling { k: 9, ..Sampling::default() },
        rounds: 1,
        ..SearchSettings::default()
    };
    let subject = SearchSubject { source: &Source::default(), own: None, domain: None, prover: None };
    let decisions = &mut Decisions::default();
    let found = search(&mut script, decisions, subject, &settings, &|| false, &mut |_| {}).unwrap();
    assert_eq!((found.rounds.len(), found.given_up), (1, None));
}

#[test]
fn draws_have_consecutive_numbers_and_end_with_the_budget() {
    let of = |rounds: Vec<Vec<Act>>, most: u32| {
        let mut script = Script { rounds, ..Script::default() };
        let subject = SearchSubject { source: &Source::default(), own: None, domain: None, prover: None };
        let sampling = Sampling { k: 500, ..Sampling::default() };
        let settings = SearchSettings {
            sampling,
            rounds: most,
            aim: Aim::Fastest(Level::Tested),
            ..SearchSettings::default()
        };
        let decisions = &mut Decisions::default();
        let found = search(&mut script, decisions, subject, &settings, &|| false, &mut |_| {}).unwrap();
        assert!(
            script.asked.windows(2).all(|two| two[0].first + two[0].k == two[1].first),
            "{:?}",
            script.asked
        );
        (found, script.asked.iter().map(|asked| asked.k).collect::<Vec<_>>())
    };
    let wrong = Act { code: 5, samples: 100, status: Status::Wrong, log_p: -3.0, ..RIGHT };
    let (found, asked) = of(vec![vec![wrong]], 3);
    assert_eq!(asked.iter().sum::<u32>(), 1 + 3 * 500);
    assert_eq!((asked[0], asked[1], found.drawn(), found.rounds.len()), (17, 8, 16, 4));
    // Once a candidate is correct, the remaining draws of the first round follow in one batch.
    let (found, asked) = of(vec![vec![wrong, RIGHT]], 3);
    assert_eq!((found.drawn(), found.rounds.len(), asked), (500, 1, vec![17, 484]));

    // Without feedback, a round ends after many distinct programs.
    let batch = |batch: u32| -> Vec<Act> {
        (0..128).map(|i| Act { code: 1_000 * batch + i, status: Status::Wrong, ..RIGHT }).collect()
    };
    let (found, asked) = of((1..9).map(batch).collect(), 1);
    assert_eq!((found.rounds.len(), found.drawn(), asked), (1, 256, vec![129, 128]));
}

/// A search with many programs, each wrong once in 1 / 0.002 inputs, hardly ever claims the bound for one.
#[test]
fn false_claims_stay_within_the_stated_risk() {
    let wrong = |code: u32| Act { code, steps: u64::from(code), errs: 500, ..RIGHT };
    let acts: Vec<Act> = (1..=10).map(wrong).collect();
    let mut fooled = 0;
    for seed in 0..400 {
        let mut script = Script { rounds: vec![acts.clone()], ..Script::default() };
        let sampling = Sampling { k: 9, seed, ..Sampling::default() };
        let settings = SearchSettings {
            sampling,
            risk: 0.002,
            rounds: 1,
            aim: Aim::Fastest(Level::Tested),
            ..SearchSettings::default()
        };
        let source = Source::default();
        let subject = SearchSubject { source: &source, own: None, domain: None, prover: None };
        let decisions = &mut Decisions::default();
        let found = search(&mut script, decisions, subject, &settings, &|| false, &mut |_| {}).unwrap();
        fooled += u32::from(found.best().is_some_and(|best| best.evidence.level() == Some(Level::Tested)));
    }
    // At a confidence of 95 %, at most 20 are expected; 35 would occur once in thousands of runs.
    assert!(fooled <= 35, "{fooled} of 400");
}
