//! The sets of functions that the network is measured on.

use myriad::compiler::stage::Compiler;
use myriad::learned::synthesis::evaluation::{
    EvaluationClass, Measured, Set, summaries, without_tests, written,
};

#[test]
fn tests_are_taken_out_and_functions_stay() {
    let mut compiler = Compiler::default();
    let text = "fn f(a: int) -> int { return a; }\ntest \"x\": f(1) == 1; prop a in 0..9\n => f(a) == a;\nconst N = 2;\n";
    let bare = without_tests(&mut compiler, text).unwrap();
    assert_eq!(
        bare.split_whitespace().collect::<Vec<_>>().join(" "),
        "fn f(a: int) -> int { return a; } const N = 2;"
    );
    assert_eq!(bare.lines().count(), text.lines().count());
    assert_eq!(without_tests(&mut compiler, "fn f() -> int { return x; }"), None);
    assert_eq!(without_tests(&mut compiler, "const N = 2;"), None);
}

#[test]
fn the_written_set_is_large_and_of_both_classes() {
    use myriad::network::source;
    let (mut simple, mut complex, mut out) = (0, 0, Vec::new());
    let mut compiler = Compiler::default();
    for task in written() {
        compiler.compile(&task.text);
        let compiled = compiler.compiled(&task.text);
        let program = compiled.program();
        for function in program.functions {
            match source::read(&program, function) {
                Ok(source) if EvaluationClass::of(&source) == EvaluationClass::Simple => simple += 1,
                Ok(_) => complex += 1,
                Err(why) => out.push(format!("{} {function}: {why}", task.name)),
            }
        }
    }
    assert!(simple >= 200 && complex >= 150, "{simple} simple, {complex} complex");
    assert!(out.len() * 50 < simple + complex, "{out:?}");
}

#[test]
fn summaries_average_over_functions_and_draws() {
    let row = |class, valid, correct, faster| Measured {
        set: Set::Written,
        class,
        program: String::new(),
        function: String::new(),
        valid,
        correct,
        faster_than_local: faster,
        faster: false,
        out_of_reach: None,
    };
    let out = Measured { out_of_reach: Some("too long".into()), ..row(EvaluationClass::Complex, 0, 0, false) };
    let rows = [row(EvaluationClass::Simple, 10, 5, true), row(EvaluationClass::Simple, 8, 0, false), out];
    let [simple, complex] = summaries(&rows, 10)[..] else { panic!("two classes have functions") };
    assert_eq!((simple.functions, simple.p_correct, simple.success), (2, 0.25, 0.5));
    assert_eq!((simple.valid, simple.faster_than_local, simple.faster), (0.9, 0.5, 0.0));
    assert_eq!((complex.functions, complex.out_of_reach, complex.success), (0, 1, 0.0));
}
