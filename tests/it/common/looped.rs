//! Random programs of loops and lists of constants: nested `while` and `for`, jumps out of them, bounds at the ends of
//! the int range, loop variables that the body assigns, and calls that fill the memory.
//!
//! Every program compiles without errors, and every loop ends.

use super::rng::Rng;

const INTS: [&str; 9] =
    ["0", "1", "3", "-1", "8388607", "-8388608", "8388608", "2147483647", "(-2147483647 - 1)"];

struct Generator {
    rng: Rng,
    ints: Vec<String>,
    names: usize,
    loops: usize,
}

/// Returns a program, determined by the seed.
pub fn program(seed: u64) -> String {
    let mut g = Generator { rng: Rng::new(seed ^ 0x100bed), ints: vec![], names: 0, loops: 0 };
    let mut text = String::from(
        "fn g(ys: [int; 3], a: int) -> int {\nlet r = a;\nfor y in ys { r = r * 3 + y; }\nreturn r;\n}\n",
    );
    for number in 0..2 {
        (g.ints, g.names, g.loops) = (vec!["a".into(), "b".into(), "r".into()], 0, 0);
        let body: String = (0..1 + g.rng.below(3)).map(|_| g.statement(3)).collect();
        text +=
            &format!("fn f{number}(a: int, b: int, xs: [int; 5]) -> int {{\nlet r = 0;\n{body}return r;\n}}\n");
        text += &format!(
            "prop a in -2..4, b in -1..6, xs in [-1..3; 4] => f{number}(a, b, xs) == {};\n",
            g.rng.pick(&["a", "b", "0", "3"])
        );
    }
    // Frames and lists that nearly fill the memory.
    g.ints = vec!["n".into()];
    let list = g.list(12);
    text += &format!(
        "fn deep(n: int) -> int {{\nlet zs: [int; {}] = {list};\nif n <= 0 {{ return len(zs + {}); }}\nreturn zs[n & 1] + deep(n - 1);\n}}\nprop n in 55..140 => deep(n) != 5;\n",
        12 + g.rng.below(50),
        g.list(12)
    );
    text
}

impl Generator {
    fn fresh(&mut self) -> String {
        self.names += 1;
        format!("v{}", self.names)
    }

    fn int(&mut self) -> String {
        if self.rng.one_in(3) || self.ints.is_empty() {
            return (*self.rng.pick(&INTS)).to_string();
        }
        self.rng.pick(&self.ints.clone()).clone()
    }

    fn value(&mut self) -> String {
        let (a, b) = (self.int(), self.int());
        match self.rng.below(7) {
            0 => format!("{a} / {b}"),
            1 => format!("{}[{a} & 3]", self.list(4)),
            2 => format!("len({})", self.list(3)),
            3 => format!("g({}, {a})", self.list(4)),
            4 => format!("xs[{a} & 3]"),
            5 => format!("{a} * {b}"),
            _ => format!("{a} + {b}"),
        }
    }

    fn condition(&mut self) -> String {
        let (a, b) = (self.int(), self.int());
        let op = *self.rng.pick(&["<", "<=", "==", "!=", ">", ">="]);
        match self.rng.below(6) {
            0 => format!("{a} {op} {b} && {} != 1", self.int()),
            1 => format!("{a} {op} {b} || {} > 2", self.int()),
            2 => format!("!({a} {op} {b})"),
            3 => format!("xs == {}", self.list(2)),
            4 => format!("g({}, {a}) {op} {b}", self.list(3)),
            _ => format!("{a} {op} {b}"),
        }
    }

    /// A list of at least two elements, mostly constants.
    fn list(&mut self, most: usize) -> String {
        if self.rng.one_in(8) {
            return "\"abc\"[0..2]".into();
        }
        let constant = !self.rng.one_in(5);
        let element = |g: &mut Generator| if constant { (*g.rng.pick(&INTS)).to_string() } else { g.int() };
        let items: Vec<String> = (0..2 + self.rng.below(most - 1)).map(|_| element(self)).collect();
        format!("[{}]", items.join(", "))
    }

    fn range(&mut self) -> String {
        match self.rng.below(7) {
            0 => "2147483645..=2147483647".into(),
            1 => "(-2147483647 - 1)..=-2147483646".into(),
            2 => format!("{}..={}", self.rng.below(4), self.rng.below(5)),
            3 => format!("0..({} & 3)", self.int()),
            4 => format!("{}..=({} & 3)", self.rng.below(3), self.int()),
            5 => "2147483647..=0".into(),
            _ => format!("-1..{}", self.rng.below(4)),
        }
    }

    fn block(&mut self, depth: usize) -> String {
        let ints = self.ints.len();
        self.loops += 1;
        let text = (0..self.rng.below(4)).map(|_| self.statement(depth)).collect();
        self.loops -= 1;
        self.ints.truncate(ints);
        text
    }

    fn exit(&mut self) -> &'static str {
        let exits = ["return r;", "break;", "continue;", "r += 1;"];
        exits[self.rng.below(if self.loops > 0 { 4 } else { 1 })]
    }

    fn statement(&mut self, depth: usize) -> String {
        match self.rng.below(if depth == 0 || self.names > 60 { 4 } else { 9 }) {
            0 => format!("r = {};\n", self.value()),
            1 => format!("r {} {};\n", self.rng.pick(&["+=", "-=", "^="]), self.value()),
            2 => format!("if {} {{ {} }}\n", self.condition(), self.exit()),
            3 if self.rng.one_in(2) => format!("xs = {};\n", self.list(5)),
            3 => format!("xs[{} & 3] = {};\n", self.int(), self.int()),
            4 => {
                let k = self.fresh();
                let (rounds, condition) = (self.rng.below(5), self.condition());
                let body = self.block(depth - 1);
                match self.rng.below(4) {
                    0 => format!("let {k} = 0;\nwhile {k} < {rounds} {{\n{k} += 1;\n{body}}}\n"),
                    1 => {
                        format!("let {k} = {rounds};\nwhile {k} != 0 && {condition} {{\n{k} -= 1;\n{body}}}\n")
                    }
                    2 => format!(
                        "let {k} = 0;\nwhile true {{\n{k} += 1;\nif {k} > {rounds} {{ break; }}\n{body}}}\n"
                    ),
                    _ => format!(
                        "let {k} = 0;\nwhile {k} == 0 || {condition} {{\n{k} += 1;\nif {k} > {rounds} {{ break; }}\n{body}}}\n"
                    ),
                }
            }
            5 => {
                // All ints: as many as a counter can hold.
                let (k, i) = (self.fresh(), self.fresh());
                self.ints.push(i.clone());
                let body = self.block(depth - 1);
                self.ints.pop();
                format!(
                    "let {k} = 0;\nfor {i} in (-2147483647 - 1)..=2147483647 {{\n{k} += 1;\nif {k} > 3 {{ break; }}\n{body}}}\n"
                )
            }
            kind => {
                let i = self.fresh();
                let over = match kind {
                    6 => self.list(5),
                    7 => "xs".into(),
                    _ => self.range(),
                };
                self.ints.push(i.clone());
                let body = self.block(depth - 1);
                self.ints.pop();
                let assigned =
                    if self.rng.one_in(3) { format!("{i} = {};\n", self.int()) } else { String::new() };
                format!("for {i} in {over} {{\n{body}{assigned}r += {i};\n}}\n")
            }
        }
    }
}
