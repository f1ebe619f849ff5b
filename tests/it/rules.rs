//! Rules that users write: 60 with their verdicts, and attacks on what is called proved. The second machine is the compiler
//! itself: both sides, as written, become functions that run on extreme values.

use std::path::Path;
use std::sync::{Arc, LazyLock};

use crate::common::command::myriad;
use crate::common::compile::compile_at;
use crate::common::extent::{scaled, seed};
use myriad::compiler::program::Compiled;
use myriad::compiler::stage::execute::{Machine, Start};
use myriad::lang::index::{Index, RoutineId};
use myriad::lang::level::OptLevel;
use myriad::lang::random::Rng;
use myriad::lang::trap::Trap;
use myriad::lang::ty::Type;
use myriad::testing::rules::{ExpressionRule, UserRule, UserVerdict, apply, decide_all, read};

const EXTREMES: [i32; 15] =
    [0, 1, -1, 2, -2, 3, 7, 8, 31, 32, 65_536, i32::MAX, i32::MIN, i32::MAX - 1, i32::MIN + 1];
/// The maximum number of inputs of a rule.
const INPUTS: u64 = 4_000;
/// The steps after which a run counts as one that does not end.
const FUEL: u32 = 2_000;

/// The ways in which a letter's expression can end: with its value, with a trap, or never.
const MODES: u32 = 3;

/// Verdicts, rules, and reasons: an indented line is the reason for the verdict above it.
static CASES: LazyLock<String> = LazyLock::new(|| {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/rules/verdicts.txt");
    std::fs::read_to_string(path).expect("the cases")
});

/// Returns the cases: the verdict, the rule, and the reason.
fn cases() -> Vec<(&'static str, &'static str, Option<&'static str>)> {
    let mut cases: Vec<(&str, &str, Option<&str>)> = Vec::new();
    for line in CASES.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
        match (line.strip_prefix("  "), line.split_once(": ")) {
            (Some(reason), _) => cases.last_mut().expect("a verdict").2 = Some(reason),
            (None, Some((verdict, rule))) => cases.push((verdict, rule, None)),
            (None, None) => panic!("{line}"),
        }
    }
    cases
}

/// Decides the rules of a text.
fn decided(text: &str) -> Vec<(UserRule, UserVerdict)> {
    let lines = read(text, false);
    let verdicts = decide_all(&lines, &|| false).expect("not cancelled");
    let both = lines.into_iter().zip(verdicts);
    both.filter_map(|(line, verdict)| Some((line.rule.ok()?, verdict?))).collect()
}

/// Splits the text of a rule of expressions into its sides and its condition.
fn parts(rule: &str) -> (&str, &str) {
    let (left, right) = rule.split_once("=>").expect("a rule");
    let from = right.trim_start().strip_prefix("if ").map_or(0, |_| right.rfind('}').map_or(0, |at| at));
    let end = right[from..].find(" if ").map_or(right.len(), |at| from + at);
    (left.trim(), right[..end].trim())
}

/// Replaces each letter outside of braces by `own`, and blocks by ones that `block` writes.
fn replaced(side: &str, own: &dyn Fn(char) -> String, block: &dyn Fn(Option<char>) -> String) -> String {
    let (mut out, mut rest) = (String::new(), side);
    while let Some(first) = rest.chars().next() {
        let inside = rest.strip_prefix('{').and_then(|rest| rest.split_once('}')).map(|(inside, _)| inside);
        if let Some(inside) = inside.filter(|inside| inside.trim().len() < 2) {
            out += &block(inside.trim().chars().next());
            rest = &rest[inside.len() + 2..];
            continue;
        }
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len()).max(1);
        out += &if end == 1 && first.is_ascii_alphabetic() { own(first) } else { rest[..end].to_string() };
        rest = &rest[end..];
    }
    out
}

/// A side as it is written, as the function `f`. `own` writes a letter, and `head` what precedes `f`.
fn program(
    rule: &ExpressionRule,
    (side, is_block): (&str, bool),
    (head, parameters): (&str, &str),
    own: &dyn Fn(char) -> String,
    level: OptLevel,
) -> Compiled {
    let number = |name: char| rule.blocks.iter().position(|own| *own == name).map_or(0, |place| place + 1);
    let block = |name: Option<char>| match name {
        Some(name) => format!("{{ return {}; }}", number(name)),
        None => "{ }".into(),
    };
    let body = replaced(side, own, &block);
    let texts = match is_block {
        true => vec![format!("{head} fn f({parameters}) -> int {{ {body} return 0; }}")],
        false => {
            ["int", "bool"].map(|ty| format!("{head} fn f({parameters}) -> {ty} {{ return {body}; }}")).to_vec()
        }
    };
    let found = texts.iter().map(|text| compile_at(level, text)).find(|program| program.facts.compiles());
    found.unwrap_or_else(|| panic!("{texts:?}"))
}

/// Runs the last function of a program. Returns the trap, the value and the steps.
fn run(machine: &mut Machine, program: &Compiled, words: &[u32]) -> (Trap, u32, u32) {
    let function = RoutineId::at(program.functions().len() as usize - 1);
    machine.translate(&program.executable);
    let record = machine.call(&program.executable, Start::call(function, FUEL), words);
    (record.trap, if record.trap == Trap::None { record.value } else { 0 }, record.steps)
}

/// Chooses words for parameters: all combinations if these are few, else random ones.
fn inputs(domains: &[Vec<u32>], rng: &mut Rng) -> Vec<Vec<u32>> {
    let all: u64 = domains.iter().map(|domain| domain.len() as u64).product();
    let of = |mut number: u64| -> Vec<u32> {
        let nth = domains.iter().map(|domain| {
            let word = domain[(number % domain.len() as u64) as usize];
            number /= domain.len() as u64;
            word
        });
        nth.collect()
    };
    match all <= INPUTS {
        true => (0..all).map(of).collect(),
        false => (0..INPUTS / 4).map(|_| of(rng.bits() % all)).collect(),
    }
}

fn values(ty: Type) -> Vec<u32> {
    if ty == Type::BOOL { vec![0, 1] } else { EXTREMES.iter().map(|value| *value as u32).collect() }
}

/// The values of constants that meet the conditions, as one list of literals for each choice.
fn constants(rule: &ExpressionRule, rng: &mut Rng) -> Vec<Vec<Option<u32>>> {
    let mut domain = values(Type::INT);
    domain.extend((0..31).map(|power| 1u32 << power));
    let domains: Vec<Vec<u32>> =
        rule.letters.iter().map(|letter| if letter.is_constant { domain.clone() } else { vec![0] }).collect();
    let choices = inputs(&domains, rng).into_iter().map(|words| {
        let letters = rule.letters.iter().zip(words);
        letters.map(|(letter, word)| letter.is_constant.then_some(word)).collect::<Vec<_>>()
    });
    let mut all: Vec<_> = choices.filter(|choice| rule.allows(&|letter| choice[letter as usize])).collect();
    while all.len() > 6 {
        all.swap_remove(rng.below(all.len()));
    }
    all
}

/// Both sides with letters that trap or never end if their mode says so, for one choice of constants.
struct Sides {
    programs: [Compiled; 2],
    types: Vec<Type>,
    /// The letters that are parameters.
    open: Vec<usize>,
}

/// Writes the function of a letter: its value, a trap, or a loop without an end.
fn letter_function(name: char, ty: &str) -> String {
    const BODY: &str = "{ if m == 1 { return [v][m]; } if m == 2 { while true { m = 2; } } return v; }";
    format!("fn {name}(v: {ty}, m: int) -> {ty} {BODY} ")
}

impl Sides {
    fn new(rule: &ExpressionRule, text: &str, fixed: &[Option<u32>], level: OptLevel) -> Sides {
        let (left, right) = parts(text);
        let open: Vec<usize> = (0..fixed.len()).filter(|letter| fixed[*letter].is_none()).collect();
        let types: Vec<Type> = open.iter().map(|letter| rule.letters[*letter].ty).collect();
        let name = |ty: &Type| if *ty == Type::BOOL { "bool" } else { "int" };
        let (mut head, mut parameters) = (String::new(), Vec::new());
        for (letter, ty) in open.iter().zip(&types) {
            let own = rule.letters[*letter].name;
            head += &letter_function(own, name(ty));
            parameters.push(format!("v{own}: {}, m{own}: int", name(ty)));
        }
        let own = |letter: char| {
            let place = rule.letters.iter().position(|own| own.name == letter).expect("a letter");
            match fixed[place] {
                Some(value) => format!("({})", value as i32),
                None => format!("{letter}(v{letter}, m{letter})"),
            }
        };
        let is_block = left.starts_with("if");
        let programs = [left, right].map(|side| {
            // The exponent of a constant.
            let side = match side.split_once("log2(") {
                Some((before, after)) => {
                    let value = fixed.iter().flatten().find(|value| value.is_power_of_two()).expect("a power");
                    format!(
                        "{before}{}{}",
                        value.trailing_zeros(),
                        after.split_once(')').expect("an argument").1
                    )
                }
                None => side.to_string(),
            };
            program(rule, (&side, is_block), (&head, &parameters.join(", ")), &own, level)
        });
        Sides { programs, types, open }
    }

    /// Returns an input on which the sides differ; letters in `safe` have values.
    fn difference(&self, safe: u32, rng: &mut Rng) -> Option<Vec<u32>> {
        let mut domains = Vec::new();
        for (letter, ty) in self.open.iter().zip(&self.types) {
            domains.push(values(*ty));
            domains.push(if safe >> letter & 1 == 1 { vec![0] } else { (0..MODES).collect() });
        }
        let mut machines: [Machine; 2] = Default::default();
        inputs(&domains, rng).into_iter().find(|words| {
            let [own, new] = [0, 1].map(|side| run(&mut machines[side], &self.programs[side], words));
            (own.0, own.1) != (new.0, new.1)
        })
    }
}

/// Confirms or refutes a verdict by runs. Returns what is wrong.
fn refuted(rule: &ExpressionRule, text: &str, verdict: &UserVerdict, rng: &mut Rng) -> Option<String> {
    match verdict {
        UserVerdict::Proved { safe } => {
            for fixed in constants(rule, rng) {
                let sides = Sides::new(rule, text, &fixed, OptLevel::Local);
                for set in safe {
                    if let Some(words) = sides.difference(*set, rng) {
                        return Some(format!("{text}: {fixed:?}, {words:?} with {set:b} safe"));
                    }
                }
            }
            None
        }
        UserVerdict::Differs(found) => {
            let found = found.as_ref().expect("a counterexample");
            let values = format!("{:?}", found.values);
            let words: Vec<u32> = found.values.iter().map(|(_, value)| value_word(value)).collect();
            let fixed: Vec<Option<u32>> = rule
                .letters
                .iter()
                .zip(&words)
                .map(|(letter, word)| letter.is_constant.then_some(*word))
                .collect();
            let sides = Sides::new(rule, text, &fixed, OptLevel::Local);
            let words: Vec<u32> = sides.open.iter().flat_map(|letter| [words[*letter], 0]).collect();
            let mut machine = Machine::default();
            let outcomes = sides.programs.each_ref().map(|program| run(&mut machine, program, &words));
            let said = found.outcomes.each_ref().map(|outcome| match outcome {
                myriad::testing::decide::CallOutcome::Value(value) => (Trap::None, value_word(value)),
                myriad::testing::decide::CallOutcome::Trap(trap) => (*trap, 0),
            });
            let is_right = outcomes.map(|(trap, value, _)| (trap, value)) == said && said[0] != said[1];
            (!is_right).then(|| format!("{text}: {values} yields {outcomes:?}, not {said:?}"))
        }
        UserVerdict::Unknown(_) => None,
    }
}

fn value_word(value: &myriad::engine::explain::Value) -> u32 {
    use myriad::engine::explain::Value;
    match value {
        Value::Int(value) => *value as u32,
        Value::Bool(value) => u32::from(*value),
        value => panic!("{value}"),
    }
}

#[test]
fn sixty_rules_have_the_right_verdicts() {
    let cases = cases();
    let text: String = cases.iter().map(|(_, rule, _)| format!("{rule}\n")).collect();
    let mut rng = Rng::new(seed(), 0);
    let found = decided(&text);
    assert_eq!(found.len(), cases.len());
    let mut count = [0, 0];
    for ((verdict, text, reason), (rule, own)) in cases.iter().zip(&found) {
        let ident = match own {
            UserVerdict::Proved { .. } => "proved",
            UserVerdict::Differs(_) => "differs",
            UserVerdict::Unknown(_) => "unknown",
        };
        assert_eq!((ident, own.reason(rule).as_deref()), (*verdict, *reason), "{text}");
        count[usize::from(ident == "differs")] += 1;
        if let UserRule::Expression(rule) = rule {
            assert_eq!(refuted(rule, text, own, &mut rng), None);
        }
    }
    assert!(count[0] >= 30 && count[1] >= 30, "{count:?}");
}

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
                UserVerdict::Differs(_) => 1,
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
    let (mut machines, mut fired): ([Machine; 2], u32) = (Default::default(), 0);
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

const SPIN: &str = "\
fn spin(n: int) -> int { while true { n += 1; } return n; }
fn at(xs: [int], i: int) -> int { return xs[i] - xs[i]; }
fn zero(n: int) -> int { if n > 0 { return spin(n) - spin(n); } return n - n; }
test at([1, 2], 1) == 0;
test zero(-3) == 0;
";

#[test]
fn rules_fire_only_where_their_condition_holds() {
    let folder = tempfile::tempdir().expect("a folder");
    let [rules, program] =
        ["a.rules", "a.myr"].map(|name| folder.path().join(name).to_string_lossy().into_owned());
    std::fs::write(&rules, "// dropped\na - a => 0\n\nx / 2 => x >> 1 // wrong\nx +* y => x\n")
        .expect("a file");
    std::fs::write(&program, SPIN).expect("a file");
    let called = myriad(&["rules", &rules, &program, "--opt", "0"], b"");
    assert_eq!(called.code, 1);
    for line in [
        "proved   2: a - a => 0\n         fires where `a` cannot trap and ends\n         fires 1 time at 3:72; saves 2 steps\n",
        "differs  4: x / 2 => x >> 1\n         x = -1: -1, not 0\n",
        "error    5: x +* y => x\n         column 4: ",
        "fire 1 time: ",
    ] {
        assert!(called.stdout.contains(line), "{line}\n{}", called.stdout);
    }
    let document = myriad(&["rules", &rules, &program, "--opt", "0", "--format", "json"], b"").file();
    let rows = &document["rules"];
    assert_eq!(rows[0]["places"], serde_json::json!([{"line": 3, "column": 72}]));
    assert_eq!(rows[1]["counterexample"], serde_json::json!({"x": -1}));
    assert_eq!(rows[1]["outcomes"], serde_json::json!([{"value": 0}, {"value": -1}]));
    assert_eq!((rows[2]["verdict"].as_str(), rows[2]["column"].as_u64()), (Some("error"), Some(4)));
    let steps = &document["steps"];
    let tested = myriad(&["test", "--rules", &rules, &program, "--opt", "0", "--format", "json"], b"");
    assert_eq!(tested.file()["rules"]["steps"], *steps);
    let sum = |file: &serde_json::Value| -> u64 {
        file["tests"].as_array().expect("tests").iter().map(|test| test["steps"].as_u64().expect("steps")).sum()
    };
    let plain = myriad(&["test", &program, "--opt", "0", "--format", "json"], b"");
    assert_eq!([sum(&plain.file()), sum(&tested.file())], [0, 1].map(|i| steps[i].as_u64().expect("steps")));
    assert!(plain.file().get("rules").is_none() && !tested.stderr.contains("panic"));
    let ir = myriad(&["stages", "--rules", &rules, &program, "--opt", "0", "--stage", "ir"], b"").stdout;
    assert_eq!(ir.matches("BINARY_SUB").count(), 2, "{ir}");
}

#[test]
fn wrong_lines_have_errors_at_their_places() {
    for (line, column, message) in [
        ("x => x", 1, "the left side must have an operator, or be an `if`"),
        ("x + y", 6, "a rule has the form `left => right`"),
        ("x + 1 => y", 10, "`y` is not on the left of `=>`"),
        ("foo + 1 => 1", 1, "`foo` is not a letter: `x` means any expression, `{ p }` any block"),
        (
            "x * k => x << log2(k)",
            1,
            "`log2(k)` is for the right side, with the condition `if k is a power of two`",
        ),
        ("x + k => k + x if k is even", 16, "a condition is "),
        ("x + k => k + x if j > 0", 16, "`j` is not on the left of `=>`"),
        ("if x > 0 { x } => { x }", 12, "`x` means both a block and an expression"),
        ("if c { p } if d { q } => { p }", 1, "a rule has expressions, or an `if` with blocks"),
        ("a && b => a + b", 11, ""),
        ("[x] == [y] => x == y", 1, "`[` cannot be in a rule"),
        (" n: NOT => nothing", 2, "`NOT` is not an operation of rules"),
    ] {
        let [own] = &read(line, false)[..] else { panic!("{line}") };
        let error = own.rule.as_ref().expect_err(line);
        assert!(error.message.starts_with(message) && error.column == column, "{line}: {error:?}");
    }
    let long = "x + ".repeat(100) + "x => x";
    assert!(read(&long, false)[0].rule.is_err());
    assert_eq!(read("// only a comment\n\n", false).len(), 0);
    // In a program, rules are comments, and columns are those of the line.
    let program = "fn f(x: int) -> int { return x; } // x => y\n  //= x + 0 => x // kept\n//= x + 1 => y\n";
    let [kept, wrong] = &read(program, true)[..] else { panic!("two rules") };
    assert_eq!((kept.number, kept.text.as_str(), kept.rule.is_ok()), (2, "x + 0 => x", true));
    assert_eq!((wrong.number, wrong.rule.as_ref().expect_err("an error").column), (3, 14));
}
