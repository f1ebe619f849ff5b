//! Attacks on verdicts: rules changed at random, and programs in which they fire.

use std::sync::Arc;

use super::machine::{
    MODES, Sides, constants, inputs, letter_function, machine, parts, program, refuted, run, values,
};
use super::{cases, decided};
use crate::common::extent::{scaled, seed};
use myriad::lang::level::OptLevel;
use myriad::lang::random::Rng;
use myriad::lang::ty::Type;
use myriad::testing::rules::{ExpressionRule, UserRule, UserVerdict, apply, decide_all, read};

/// A side condition is needed: without it, a letter that traps or never ends makes a difference.
#[test]
fn side_conditions_are_necessary() {
    let mut rng = Rng::new(seed(), 1);
    let mut needed = 0;
    for (verdict, text, reason) in cases() {
        if verdict != "proved" || reason.is_none() {
            continue;
        }
        let [(UserRule::Expression(rule), UserVerdict::Proved { safe })] = &decided(text)[..] else { continue };
        assert!(!safe.contains(&0), "{text}");
        let fixed = constants(rule, &mut rng).pop().expect("constants");
        let sides = Sides::new(rule, text, &fixed, OptLevel::Local);
        for letter in safe.iter().flat_map(|set| (0..6).filter(move |letter| set >> letter & 1 == 1)) {
            let others = (0..rule.letters.len()).filter(|other| *other != letter);
            // All letters of the other sets may trap, too.
            let set = others.filter(|other| !safe.iter().any(|set| safe.len() > 1 && set >> other & 1 == 1));
            let set = set.fold(0, |set, other| set | 1 << other);
            assert!(sides.difference(set, &mut rng).is_some(), "{text}: {letter} need not be safe");
            needed += 1;
        }
    }
    assert!(needed >= 5, "{needed}");
}

/// Changes one token of a rule.
fn mutated(text: &str, rng: &mut Rng) -> String {
    const OPERATORS: [&[&str]; 4] = [
        &["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"],
        &["==", "!=", "<", "<=", ">", ">="],
        &["&&", "||"],
        &["0", "1", "-1", "2", "31", "(-2147483648)", "2147483647"],
    ];
    let mut words: Vec<String> = text.split(' ').map(String::from).collect();
    for _ in 0..40 {
        let at = rng.below(words.len());
        let group = OPERATORS.iter().find(|group| group.contains(&words[at].as_str()));
        let letters = ["x", "y", "z", "a", "b"];
        match group {
            Some(group) => words[at] = rng.pick(group).expect("an operator").to_string(),
            None if letters.contains(&words[at].as_str()) => {
                words[at] = rng.pick(&letters).unwrap().to_string()
            }
            None if words[at].starts_with('!') => words[at].replace_range(..1, ""),
            None => continue,
        }
        break;
    }
    words.join(" ")
}

/// `MYRIAD_SCALE=100` attacks 40,000 rules.
#[test]
fn verdicts_on_mutated_rules_hold() {
    let mut rng = Rng::new(seed(), 2);
    let bases: Vec<&str> = cases()
        .into_iter()
        .map(|(_, rule, _)| rule)
        .filter(|rule| !rule.contains("is a power") && !rule.contains(':'))
        .collect();
    let mut counts = [0; 3];
    for _ in 0..scaled(400) {
        let mut text = rng.pick(&bases).expect("a rule").to_string();
        for _ in 0..1 + rng.below(2) {
            text = mutated(&text, &mut rng);
        }
        for (rule, verdict) in decided(&text) {
            let UserRule::Expression(rule) = rule else { continue };
            counts[match verdict {
                UserVerdict::Proved { .. } => 0,
                UserVerdict::Differs(_) | UserVerdict::WindowsDiffer(_) => 1,
                UserVerdict::Unknown(_) => 2,
            }] += 1;
            assert_eq!(refuted(&rule, &text, &verdict, &mut rng), None);
            if let UserVerdict::Proved { .. } = verdict {
                fires_well(&rule, &text, &mut rng);
            }
        }
    }
    println!("{counts:?} proved, refuted, unknown");
    assert!(counts[0] > 0 && counts[1] > counts[0] && counts[2] * 20 < counts[1], "{counts:?}");
}

/// Lets a proved rule fire on its own left side, with letters that are variables, operations, and calls that may not end.
/// The program then ends alike on all inputs, and takes no more steps. Returns how often it fired.
fn fires_well(rule: &ExpressionRule, text: &str, rng: &mut Rng) -> u32 {
    let lines = read(text, false);
    let verdicts = decide_all(&lines, &|| false).expect("not cancelled");
    let mut fired = 0;
    let Some(fixed) = constants(rule, rng).pop() else { return 0 };
    for way in 0..4 {
        let (left, _) = parts(text);
        let (mut head, mut parameters, mut domains) = (String::new(), Vec::new(), Vec::new());
        for letter in rule.letters.iter().filter(|letter| !letter.is_constant) {
            let (name, ty) = (letter.name, if letter.ty == Type::BOOL { "bool" } else { "int" });
            head += &letter_function(name, ty);
            parameters.push(format!("v{name}: {ty}, m{name}: int"));
            domains.extend([values(letter.ty), (0..MODES).collect()]);
        }
        let choices: Vec<u32> =
            rule.letters.iter().map(|_| if way < 3 { way } else { rng.below(3) as u32 }).collect();
        let own = |name: char| {
            let place = rule.letters.iter().position(|own| own.name == name).expect("a letter");
            match (fixed[place], choices[place], rule.letters[place].ty == Type::BOOL) {
                (Some(value), ..) => format!("({})", value as i32),
                (_, 0, _) => format!("v{name}"),
                (_, 1, true) => format!("(v{name} && m{name} != 1)"),
                (_, 1, false) => format!("(v{name} - m{name})"),
                _ => format!("{name}(v{name}, m{name})"),
            }
        };
        let is_block = left.starts_with("if");
        let base = program(rule, (left, is_block), (&head, &parameters.join(", ")), &own, OptLevel::Lowered);
        let base = Arc::new(base);
        let applied = apply(&base, &lines, &verdicts, &|| false).expect("not cancelled");
        fired += applied.fired[0].count;
        let mut machines = [machine(&base), machine(&applied.program)];
        for words in inputs(&domains, rng) {
            let before = run(&mut machines[0], &base, &words);
            let after = run(&mut machines[1], &applied.program, &words);
            assert_eq!((before.0, before.1), (after.0, after.1), "{text} on {:?}: {words:?}", base.text);
            assert!(
                after.2 <= before.2,
                "{text} on {:?}: {words:?} takes {after:?}, not {before:?}",
                base.text
            );
        }
    }
    fired
}

#[test]
fn proved_rules_fire_where_they_change_nothing_but_steps() {
    let mut rng = Rng::new(seed(), 3);
    let mut idle = Vec::new();
    for (verdict, text, _) in cases() {
        if verdict != "proved" || text.contains(':') {
            continue;
        }
        let [(UserRule::Expression(rule), _)] = &decided(text)[..] else { continue };
        if fires_well(rule, text, &mut rng) == 0 {
            idle.push(text);
        }
    }
    // The rules whose right sides take more steps.
    println!("{idle:?}");
    assert!(idle.len() <= 8, "{idle:?}");
}
