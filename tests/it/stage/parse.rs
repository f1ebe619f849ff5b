//! Small inputs: the tree as text, the errors as `code@token`.

use myriad::compiler::program::{ERROR_BEHIND, Facts, Tokens, Tree};
use myriad::compiler::stage::lex;
use myriad::compiler::stage::parse::{ParseScratch, run};
use myriad::lang::NONE;
use myriad::lang::diagnostic::Code;
use myriad::lang::role::Role;

struct Parsed {
    text: String,
    tokens: Tokens,
    tree: Tree,
    facts: Facts,
}

fn parsed(text: &str) -> Parsed {
    let (mut tokens, mut tree, mut facts) = (Tokens::default(), Tree::default(), Facts::default());
    lex::run(text, &mut tokens, &mut facts, &mut lex::LexScratch::default());
    run(&tokens, &mut tree, &mut facts, &mut ParseScratch::default());
    Parsed { text: text.into(), tokens, tree, facts }
}

impl Parsed {
    fn token(&self, t: usize) -> &str {
        &self.text[self.tokens.lo[t] as usize..self.tokens.hi[t] as usize]
    }

    /// Formats the errors, each as its code, its token and `+` if it is after the token.
    fn errors(&self) -> String {
        let shown = |t: usize| {
            let error = self.tree.error[t];
            let code = Code::from_u32(error & 0xffff).unwrap().code();
            format!("{code} {}{}", self.token(t), if error & ERROR_BEHIND != 0 { "+" } else { "" })
        };
        let errors = (0..self.tree.error.len()).filter(|t| self.tree.error[*t] != 0);
        errors.map(shown).collect::<Vec<_>>().join(", ")
    }

    /// Formats the subtree of a node, with children by slot, then position.
    fn show(&self, head: usize) -> String {
        let n = self.tree.role.len();
        let mut children: Vec<usize> = (0..n).filter(|t| self.tree.parent[*t] == head as u32).collect();
        children.sort_by_key(|t| (self.tree.slot[*t], *t));
        let role = Role::from_u32(self.tree.role[head]).unwrap();
        let mut text = if role.is_expression() { self.token(head).to_string() } else { format!("{role:?}") };
        if role.declares() {
            text = format!("{role:?}:{}", self.token(head));
        }
        for child in &children {
            text += &format!(" {}", self.show(*child));
        }
        if children.is_empty() { text } else { format!("({text})") }
    }
}

#[track_caller]
fn tree(text: &str, expected: &str) {
    let parsed = parsed(text);
    assert_eq!(parsed.errors(), "", "{text}");
    let roots =
        (0..parsed.tree.role.len()).filter(|t| parsed.tree.role[*t] != 0 && parsed.tree.parent[*t] == NONE);
    assert_eq!(roots.map(|t| parsed.show(t)).collect::<Vec<_>>().join(" "), expected, "{text}");
}

/// Checks an expression's tree.
#[track_caller]
fn expression(text: &str, expected: &str) {
    tree(&format!("test {text};"), &format!("(Test {expected})"));
}

#[track_caller]
fn errors(text: &str, expected: &str) {
    let parsed = parsed(text);
    assert_eq!(parsed.errors(), expected, "{text}");
    let count = parsed.tree.error.iter().filter(|error| **error != 0).count();
    assert!(parsed.facts.errors as usize >= count, "{text}");
}

/// Checks the errors of statements in a function.
#[track_caller]
fn body(text: &str, expected: &str) {
    errors(&format!("fn f(a: int) -> int {{ {text} }}"), expected);
}

#[test]
fn expressions_parse_by_precedence() {
    expression("1 + 2 * 3 - 4", "(- (+ 1 (* 2 3)) 4)");
    expression("-a[0] * !~b", "(* (- ([ a 0)) (! (~ b)))");
    expression(
        "a || b && c == d | e ^ f & g << h + i",
        "(|| a (&& b (== c (| d (^ e (& f (<< g (+ h i))))))))",
    );
    expression("f() + g(1,) + h(1, 2)", "(+ (+ f (g 1)) (h 1 2))");
    expression("[] + [1,] + [1, 2] + [0; 4]", "(+ (+ (+ [ ([ 1)) ([ 1 2)) ([ 0 4))");
    expression("f(x)[1 .. a + 2][0]", "([ ([ (f x) 1 (+ a 2)) 0)");
    expression("((a))", "(( (( a))");
    expression("int(a < b)", "(int (< a b))");
    expression("(a < b) == (c < d)", "(== (( (< a b)) (( (< c d)))");
}

#[test]
fn extents_span_whole_subtrees() {
    let parsed = parsed("test a + f(x)[1] * 2;");
    let extent = |t: usize| (parsed.tree.lo[t], parsed.tree.hi[t]);
    assert_eq!(extent(0), (0, 12));
    assert_eq!(extent(2), (1, 12), "+");
    assert_eq!(extent(3), (3, 7), "call");
    assert_eq!(extent(7), (3, 10), "index");
    assert_eq!(extent(10), (3, 12), "*");
}

#[test]
fn items_parse_into_trees() {
    tree(
        "fn f(a: int, b: [bool; 4],) -> [int] { return b; }",
        "(Fn FnName:f TypeList (Block (Return b)) (Param:a TypeInt) (Param:b (TypeList 4)))",
    );
    tree("const A = -1;", "(Const ConstName:A (- 1))");
    tree("test \"n\": a; test \"n\" == a;", "(Test Label a) (Test (== \"n\" a))");
    tree(
        "prop \"n\": a in 0..2, xs in [0..3; 4] => a == 0; prop b in -1..f => b;",
        "(Prop Label (== a 0) (Binder:a 0 2) (Binder:xs 0 3 4)) (Prop b (Binder:b (- 1) f))",
    );
}

#[test]
fn statements_parse_into_trees() {
    tree(
        "fn f() -> int { let x: int = 1; x += 2; xs[i] = 3; { break; } continue; return x; }",
        "(Fn FnName:f TypeInt (Block (Let LetName:x TypeInt 1) (Assign x 2) (Assign ([ xs i) 3) (Block Break) \
         Continue (Return x)))",
    );
    tree(
        "fn f() -> int { if a { } else if b { x = 1; } else { } while c { } for i in 0..=9 { } for x in xs { } }",
        "(Fn FnName:f TypeInt (Block (If a Block (If b (Block (Assign x 1)) Block)) (While c Block) \
         (For LoopVar:i 0 9 Block) (For LoopVar:x xs Block)))",
    );
    let chain = parsed("fn f() -> int { if a { } else if b { } else { } }");
    let ifs: Vec<usize> =
        (0..chain.tree.role.len()).filter(|t| chain.tree.role[*t] == Role::If as u32).collect();
    assert_eq!(ifs.iter().map(|t| chain.tree.hi[*t]).collect::<Vec<_>>(), [19, 19]);
}

#[test]
fn unexpected_token_is_reported() {
    body("return a + ;", "E0201 ;");
    body("return a b;", "E0201 b");
    body("return;", "E0201 ;");
    body("let = 3;", "E0201 =");
    body("let x;", "E0201 ;");
    body("let x: 3 = 3;", "E0201 3");
    body("1 = 2;", "E0201 =");
    body("a[1..2] = 2;", "E0201 =");
    body("a[1][2] = 2;", "E0201 =");
    body("a = b = 2;", "E0201 =");
    body("a = f(b = 2);", "E0201 =");
    body("return f(1; 2);", "E0201 ;");
    body("return [1, 2; 3];", "E0201 ;");
    body("return int;", "E0201 int");
    body("return xs[..1];", "E0201 ..");
    body("for i in 0..2..3 { }", "E0201 ..");
    body("if a; { }", "E0201 ;");
    body("if a > 1 return 1; return 2;", "E0201 return");
    body("else { }", "E0201 else");
    body("if a { } else { } else { }", "E0201 else");
    body("a > 1 { } else { }", "E0206 a");
    body("if a { } else b { } else { }", "E0201 b");
    body("if a { } } else { } return 1;", "E0201 else");
    body("while a { if a { } } else { } } return 1;", "E0201 else");
    body(";", "E0201 ;");
    body("return )", "E0203 )");
    errors("func f(a: int) -> int { return b; } test 1 == 1;", "E0201 func");
    errors("fn f(a) -> int { return a; }", "E0201 )");
    errors("fn f() -> int return 1; }", "E0201 return");
    errors("fn f() { return 1; }", "E0201 {");
    errors("test", "E0201 test+");
    errors("prop a in 0..=1 => a;", "E0201 ..=");
    errors("const A = 1 { }", "E0201 {");
}

#[test]
fn unmatched_bracket_is_reported() {
    body("return (a + 1];", "E0203 ]");
    body("return a + 1);", "E0203 )");
    body("let x = (a + 1; let y = 2;", "E0202 (");
    body("if (a > 1 { }", "E0202 (");
    body("return f(g(a;", "E0202 (");
    errors("fn f() -> int { if a { return 1; } test a b; const X = ;", "E0202 {, E0201 b, E0201 ;");
    errors("fn f() -> int { return $ 1;", "E0202 {");
    errors("fn f() -> int { return 1; } } test 1 == 1;", "E0203 }");
    errors("fn f() -> int { const X = 3; return X; } fn g() -> int { return 1; } }", "E0202 {");
    errors(
        "fn f() -> int { const X = 3; return X; } fn g() -> int { return 1; } fn h() -> int",
        "E0202 {, E0201 int+",
    );
    assert_eq!(parsed("fn f() -> int { return $ 1;").facts.errors, 1);
}

#[test]
fn chained_comparisons_and_missing_semicolons_are_reported() {
    body("return 1 < a < 3;", "E0204 <");
    body("return (1 == a & b != c) + 1;", "E0204 !=");
    body("let b = a + 1\n return b;", "E0205 1+");
    body("let b = a + 1\n c = 2;", "E0205 1+");
    body("a = 1\n a = 2\n a[0] += 3\n a[a[0]] = 4\n b = 5;", "E0205 1+, E0205 2+, E0205 3+, E0205 4+");
    body(
        "let b = (a)\n break\n b = 2\n continue\n b = 3\n",
        "E0205 )+, E0205 break+, E0205 2+, E0205 continue+, E0205 3+",
    );
    body("a = b\n [0] = 1\n -b\n c\n a = 2;", "E0201 =");
    body("a = 1\n b\n c(2)\n a = 2;", "E0205 1+");
    body("a = f(1,\n a = 2\n);", "E0201 =");
    body("let a\n b = 1\n c = 2;", "E0201 b, E0205 1+");
    body("if a\n b = 1\n c = 2;", "E0201 b");
    body("while a { if b\n b = 1 { c = 1\n d = 2 } }", "E0201 b, E0205 1+, E0205 2+");
    body("a = 1 b = 2\n c = 3;", "E0201 b");
    body("a = $ \n b = 1\n c = 2;", "");
    errors("const A = 1\n B = 2\n C = 3;", "E0205 1+");
    body("return a", "E0205 a+");
    body("break", "E0205 break+");
    body("break 3;", "E0201 3");
    body("f(1);", "E0206 f");
    body("a == 1;", "E0206 a");
    body("f(1) return a;", "E0206 f");
    errors("test 1 == 1", "E0205 1+");
    errors("1 + 1;", "E0201 1");
    errors("test a == 1 test b == 2;", "E0205 1+");
}

#[test]
fn brace_inside_an_open_string_is_not_reported_missing() {
    errors("fn g() -> [int] { return \"no end; }\nfn h() -> int { return a b; }", "E0201 b");
    errors("fn g() -> int { if a == \"no { \n return 1; }\n return 2; }", "");
}

#[test]
fn broken_statements_keep_names_and_heads() {
    let parsed = parsed("fn f(a int, b: $) -> int { let x = ; if ) { y = 1; } }");
    assert_eq!(
        parsed.show(0),
        "(Fn FnName:f (Block (Let LetName:x) (If (Block (Assign y 1)))) Param:a Param:b)"
    );
}

#[test]
fn nesting_is_limited() {
    let deep = |n: usize| format!("test {}1{} == 1;", "(".repeat(n), ")".repeat(n));
    assert_eq!(parsed(&deep(64)).facts.fatal, 0);
    let facts = parsed(&deep(66)).facts;
    assert_eq!((facts.fatal, facts.fatal_token, facts.fatal_count), (Code::NestingTooDeep as u32, 65, 66));
}

#[test]
fn long_chains_take_no_stack() {
    let prefixes = format!("test {}1 == 1;", "-".repeat(4_000));
    assert_eq!(parsed(&prefixes).errors(), "");
    let mut chain = String::from("fn f(a: int) -> int { if a { }");
    chain += &" else if a { }".repeat(1_300);
    let parsed = parsed(&(chain + " }"));
    assert_eq!(parsed.errors(), "");
    let first = parsed.tree.role.iter().position(|role| *role == Role::If as u32).unwrap();
    assert_eq!(parsed.tree.hi[first] as usize, parsed.tree.role.len() - 1);
}
