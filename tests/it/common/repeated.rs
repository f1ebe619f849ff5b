//! Random programs that compute the same small expressions again and again: of variables that some paths store, of copies
//! of lists, behind conditions that earlier ones decide, and in short functions that level 2 puts into their callers.
//!
//! Every program compiles without errors, and every loop ends.

use super::rng::Rng;

const HELPERS: &str =
    "fn at(zs: [int; 4], i: int) -> int { if i < 0 || i >= len(zs) { return 0; } return zs[i]; }
fn small(n: int) -> bool { return n >= 0 && n <= 4; }
fn top(n: int, m: int) -> int { if n > m { return n; } return m; }
fn sum(zs: [int; 4]) -> int { let s = 0; for z in zs { s += z; } return s; }
fn fact(n: int) -> int { if n < 2 { return 1; } return n * fact(n - 1); }
";
const PROPERTIES: &str = "prop a in -3..5, b in -2..4, xs in [-1..4; 4]
    => f0(a, b, xs, [a, b]) == f0(a, b, xs, [a, b]) && f1(a, b, [1], xs) <= f0(b, a, xs, xs);
prop a in -3..5, b in -2..4, xs in [-1..4; 4] => f2(a, a, xs, xs) > 3 || f2(a, a, xs, xs) <= 3 && f1(b, a, xs, xs) == 1;
";
const INTS: &str = "a|b|c|d|0|1|3|-1|a + b|b + a|a * c|a * c + 1|xs[a & 1]|ys[b & 1]|us[0]|us[0] + 1|xs[0]|len(xs)|len(us)|\
                    len(xs) - a|d - 1|7 / a|b % c|at(xs, a)|at(us, b)|at(ys, c)|top(a, b)|top(a, 3)|sum(xs)|sum(us)|\
                    fact(a & 3)|fact(c & 3)|int(p)|int(a > b)|min(a, b)|a & 7|(a & 7) * 2|c << 1";
const BOOLS: &str =
    "p|!p|small(a)|small(c)|xs == us|xs != ys|a > b|b < a|a <= b|len(xs) > 0|c >= 0|(a & 7) < 8|d != 0";
const LISTS: &str = "xs|ys|us|us|[a, b]|[1, 2, 3]|xs[0..1]";

struct Generator {
    rng: Rng,
    depth: usize,
    names: usize,
    /// The number of the function.
    own: usize,
}

/// Returns a program, determined by the seed.
pub fn program(seed: u64) -> String {
    let mut g = Generator { rng: Rng::new(seed ^ 0x4e9ea7), depth: 0, names: 0, own: 0 };
    let mut text = HELPERS.to_string();
    for own in 0..3 {
        (g.own, g.names) = (own, 0);
        let (body, value) = (g.block(7), g.int());
        text += &format!(
            "fn f{own}(a: int, b: int, xs: [int; 4], ys: [int; 4]) -> int {{\nlet c = b;\nlet d = a;\nlet p = a > b;\n\
             let us = xs;\n{body}return {value};\n}}\n"
        );
    }
    text + PROPERTIES
}

impl Generator {
    fn pick(&mut self, of: &str) -> String {
        let all: Vec<&str> = of.split('|').collect();
        (*self.rng.pick(&all)).to_string()
    }

    fn int(&mut self) -> String {
        if self.own > 0 && self.rng.one_in(12) {
            return format!("f{}(c, b, {}, xs)", self.own - 1, self.pick(LISTS));
        }
        self.pick(INTS)
    }

    fn bool(&mut self) -> String {
        match self.rng.below(7) {
            0 => self.pick(BOOLS),
            1 => format!("({} && {})", self.bool(), self.bool()),
            2 => format!("({} || {})", self.bool(), self.bool()),
            3 => format!("!({})", self.bool()),
            _ => format!("{} {} {}", self.int(), self.pick("<|<=|>|>=|==|!="), self.int()),
        }
    }

    fn block(&mut self, most: usize) -> String {
        self.depth += 1;
        let body = (0..1 + self.rng.below(most)).map(|_| self.statement()).collect();
        self.depth -= 1;
        body
    }

    fn statement(&mut self) -> String {
        self.names += 1;
        let own = self.names;
        match self.rng.below(if self.depth < 4 { 14 } else { 9 }) {
            0..4 => format!("{} = {};\n", self.pick("a|b|c|d"), self.int()),
            4 => format!("p = {};\n", self.bool()),
            5 => format!("{} = {};\n", self.pick("xs|ys|us"), self.pick(LISTS)),
            6 => format!("{}[{}] = {};\n", self.pick("xs|us"), self.pick("0|a & 1|1"), self.int()),
            7 => format!("let t{own} = {};\nc = t{own};\n", self.int()),
            8 => format!("if {} {{ return {}; }}\n", self.bool(), self.int()),
            9 | 10 => format!("if {} {{\n{}}}\n", self.bool(), self.block(3)),
            11 => format!("if {} {{\n{}}} else {{\n{}}}\n", self.bool(), self.block(3), self.block(3)),
            12 => format!(
                "for i{own} in {}..{} {{\n{}if i{own} >= 0 {{ d += i{own}; }}\nb = {};\n}}\n",
                self.pick("0|1|a & 1"),
                self.pick("3|len(xs)|a & 3|5"),
                self.block(3),
                self.int()
            ),
            _ => format!(
                "let w{own} = 0;\nwhile w{own} < 4 && {} {{\n{}w{own} += 1;\n}}\n",
                self.bool(),
                self.block(3)
            ),
        }
    }
}
