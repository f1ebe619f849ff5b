//! Words of the network as text.

use myriad::compiler::stage::compile;
use myriad::lang::index::{Index, RoutineId};
use myriad::network::{source, target};
use myriad::report::words::WordNames;

#[test]
fn network_words_show_source_names() {
    let text = "fn twice(n: int) -> int { return n * 2; } fn f(xs: [int]) -> int { let sum = 40; \
                for x in xs { sum += twice(x); } return sum; }";
    let compiled = compile(text);
    let program = compiled.program();
    let source = source::read(&program, RoutineId::new(1)).unwrap();
    let names = WordNames::new(&compiled, &source.tables);
    let words = target::write(&program, RoutineId::new(1), &source.tables).unwrap();
    let texts: Vec<String> = words.iter().map(|&word| names.of(word)).collect();
    for wanted in ["const 40", "store sum", "load xs", "list x", "call twice", "for l1", "RETURN", "<eos>"] {
        assert!(texts.iter().any(|text| text == wanted), "{wanted} is not in {texts:?}");
    }
}
