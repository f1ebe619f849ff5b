//! Programs that break naive compilers.

/// Returns names and texts of programs at the limits; all compile.
pub fn hostile() -> Vec<(String, String)> {
    let in_function = |body: &str| format!("fn f(x: int) -> int {{ {body} }}\ntest f(1) == 1;\n");
    let expression = |e: &str| in_function(&format!("return {e};"));
    let mut all = vec![];
    let mut add = |name: &str, text: String| all.push((name.to_string(), text));
    add("sum of constants", expression(&vec!["1"; 4_000].join(" + ")));
    add("sum of variables", expression(&vec!["x"; 4_000].join(" + ")));
    add("sum of products", expression(&vec!["x * 3"; 2_000].join(" + ")));
    add("erased sums", expression(&format!("{}x{}", "(".repeat(60), " * 0 + x)".repeat(60))));
    add("erased chain", expression(&format!("x{}", " * 0 + x".repeat(2_000))));
    add("prefixes", expression(&format!("{}x", "- ".repeat(8_000))));
    add("prefixes of two kinds", expression(&format!("{}x", "-~".repeat(4_000))));
    add("brackets", expression(&format!("{}x{}", "(".repeat(63), ")".repeat(63))));
    add(
        "logic",
        in_function(&format!("if x == 1{} {{ return 1; }} return 2;", " && x == 1 || x == 2".repeat(900))),
    );
    add(
        "true logic",
        in_function(&format!("if true{} {{ return 1; }} return 2;", " && true || false".repeat(1_000))),
    );
    add("else if", in_function(&format!("{}{{ return 2; }}", "if x == 2 { return 3; } else ".repeat(700))));
    add("blocks", in_function(&format!("{}x += 1;{} return x;", "if x == 1 { ".repeat(60), "}".repeat(60))));
    add("statements", in_function(&format!("{}return x;", "x += 1; ".repeat(2_000))));
    add("breaks", in_function(&format!("{}return x;", "while true { break; } ".repeat(1_000))));
    add("endless loops", in_function(&format!("{}return x;", "if x == 2 { while true { } } ".repeat(600))));
    let functions: String =
        (0..256).map(|i| format!("fn f{i}() -> int {{ return f{}(); }}\n", (i + 1) % 256)).collect();
    add("functions", functions);
    let tests: String = (0..256).map(|i| format!("test {i} == f({i});\n")).collect();
    add("tests", format!("fn f(x: int) -> int {{ return x; }}\n{tests}"));
    let string = format!("\"{}\"", "a".repeat(64));
    add("strings", format!("fn f() -> [int; 64] {{ return {}; }}\n", vec![string; 935].join(" + ")));
    add("nothing", String::new());
    all
}
