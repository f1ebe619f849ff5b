//! The chain of stages, as a whole and from check on.

use myriad::compiler::stage::{BackEnd, compile};

#[test]
fn back_end_emits_the_same_code_as_the_compiler() {
    let mut back = BackEnd::default();
    for text in ["fn f(a: int) -> int { return a + 2 * 3; } test f(1) == 7;", "fn g() -> [int] { return [1]; }"]
    {
        let program = compile(text);
        back.compile(&program);
        assert_eq!(back.executable, program.executable);
    }
    assert_eq!(back.runs, 2);
}
