//! Expressions of a type, with as few brackets as their operators' precedences allow.

use super::Ty::*;
use super::{Expr, Generator, Ty};

const PRIMARY: u32 = 12;
const PREFIX: u32 = 10;

impl Generator {
    /// Returns an expression of a type compatible with `ty`; `depth` bounds its height.
    pub(super) fn expr(&mut self, ty: Ty, depth: usize) -> Expr {
        let e = if depth == 0 { self.leaf(ty) } else { self.inner(ty, depth - 1) };
        if self.rng.one_in(12) { (format!("({})", e.0), PRIMARY) } else { e }
    }

    fn inner(&mut self, ty: Ty, depth: usize) -> Expr {
        if self.rng.one_in(6)
            && let Some(call) = self.call(ty, depth)
        {
            return call;
        }
        match ty {
            Int => match self.rng.below(12) {
                0..=5 => {
                    let (op, strength) = *self.rng.pick(&[
                        ("+", 8),
                        ("-", 8),
                        ("*", 9),
                        ("/", 9),
                        ("%", 9),
                        ("&", 6),
                        ("|", 4),
                        ("^", 5),
                        ("<<", 7),
                        (">>", 7),
                        ("+", 8),
                    ]);
                    self.infix(Int, op, strength, depth, false)
                }
                6 => {
                    let operand = self.expr(Int, depth);
                    let op = self.rng.pick(&["-", "~"]).to_string();
                    (format!("{op}{}", wrap(operand, PREFIX)), PREFIX)
                }
                7 => {
                    let function = self.rng.pick(&["min", "max"]).to_string();
                    (format!("{function}({}, {})", self.expr(Int, depth).0, self.expr(Int, depth).0), PRIMARY)
                }
                8 => (format!("abs({})", self.expr(Int, depth).0), PRIMARY),
                9 => (format!("int({})", self.expr(Bool, depth).0), PRIMARY),
                10 => {
                    let list = if self.rng.one_in(2) { Ints(16) } else { Bools(16) };
                    (format!("len({})", self.expr(list, depth).0), PRIMARY)
                }
                _ => self.element(Int, depth),
            },
            Bool => match self.rng.below(10) {
                0..=2 => {
                    let op = self.rng.pick(&["==", "!=", "<", "<=", ">", ">="]).to_string();
                    self.infix(Int, &op, 3, depth, true)
                }
                3 => {
                    let of = self.ty();
                    let op = self.rng.pick(&["==", "!="]).to_string();
                    self.infix(of, &op, 3, depth, true)
                }
                4 | 5 => self.infix(Bool, "&&", 2, depth, false),
                6 | 7 => self.infix(Bool, "||", 1, depth, false),
                8 => (format!("!{}", wrap(self.expr(Bool, depth), PREFIX)), PREFIX),
                _ => self.element(Bool, depth),
            },
            _ => match self.rng.below(4) {
                0 => self.infix(ty, "+", 8, depth, false),
                1 => {
                    let base = wrap(self.expr(ty, depth), PRIMARY);
                    let low = self.rng.below(2);
                    (format!("{base}[{low}..{}]", low + self.rng.below(2)), PRIMARY)
                }
                2 => {
                    let count = 1 + self.rng.below(4);
                    let elements: Vec<String> = (0..count).map(|_| self.expr(ty.element(), depth).0).collect();
                    let comma = if self.rng.one_in(5) { "," } else { "" };
                    (format!("[{}{comma}]", elements.join(", ")), PRIMARY)
                }
                _ => (format!("[{}; {}]", self.expr(ty.element(), depth).0, 1 + self.rng.below(5)), PRIMARY),
            },
        }
    }

    fn infix(&mut self, of: Ty, op: &str, strength: u32, depth: usize, comparison: bool) -> Expr {
        let left = wrap(self.expr(of, depth), strength + u32::from(comparison));
        let right = wrap(self.expr(of, depth), strength + 1);
        (format!("{left} {op} {right}"), strength)
    }

    fn element(&mut self, of: Ty, depth: usize) -> Expr {
        let list = if of == Int { Ints(16) } else { Bools(16) };
        let base = wrap(self.expr(list, depth.min(1)), PRIMARY);
        (format!("{base}[{}]", self.index().0), PRIMARY)
    }

    pub(super) fn index(&mut self) -> Expr {
        if self.rng.one_in(4) { self.expr(Int, 1) } else { (self.rng.below(3).to_string(), PRIMARY) }
    }

    fn call(&mut self, ty: Ty, depth: usize) -> Option<Expr> {
        let fitting: Vec<usize> = (0..self.functions.len())
            .filter(|i| self.functions[*i].result.same_kind(ty) && self.loops < 2)
            .collect();
        if fitting.is_empty() {
            return None;
        }
        let index = *self.rng.pick(&fitting);
        let (name, params) = (self.functions[index].name.clone(), self.functions[index].params.clone());
        let mut arguments = vec![];
        for ty in params {
            let empty = ty.is_list() && self.rng.one_in(8);
            arguments.push(if empty { "[]".into() } else { self.expr(ty, depth.min(1)).0 });
        }
        Some((format!("{name}({})", arguments.join(", ")), PRIMARY))
    }

    fn leaf(&mut self, ty: Ty) -> Expr {
        if !self.rng.one_in(3)
            && let Some((name, _)) = self.any_name(|t| t.same_kind(ty))
        {
            return (name, PRIMARY);
        }
        match ty {
            Int => self.literal(),
            Bool => (self.rng.pick(&["true", "false"]).to_string(), PRIMARY),
            Ints(_) if self.rng.one_in(2) => (
                self.rng.pick(&["\"abc\"", "\"x\\ny\\\"\"", "\"\"", "[1, 2, 3]", "[0; 4]"]).to_string(),
                PRIMARY,
            ),
            Ints(_) => (format!("[{}]", self.literal().0), PRIMARY),
            Bools(_) => (self.rng.pick(&["[true]", "[false, true]", "[true; 3]"]).to_string(), PRIMARY),
        }
    }

    pub(super) fn literal(&mut self) -> Expr {
        let n = self.rng.below(10);
        match self.rng.below(14) {
            0 => (format!("0x{n:X}F"), PRIMARY),
            1 => (format!("0b1{n:b}"), PRIMARY),
            2 => ("1_000".into(), PRIMARY),
            3 => ("2147483647".into(), PRIMARY),
            4 => ("-2147483648".into(), PREFIX),
            5 => (format!("-{n}"), PREFIX),
            6 => (self.rng.pick(&["'a'", "'\\n'", "'\\''", "' '"]).to_string(), PRIMARY),
            7 => ((self.rng.next() as i32 & i32::MAX).to_string(), PRIMARY),
            8 => ("0xFFFF_FFFF".into(), PRIMARY),
            _ => (n.to_string(), PRIMARY),
        }
    }
}

fn wrap((text, strength): Expr, least: u32) -> String {
    if strength < least { format!("({text})") } else { text }
}
