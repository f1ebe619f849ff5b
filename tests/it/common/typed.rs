//! Random well-typed programs: every statement, operator, type and built-in, in any nesting.
//!
//! Every program compiles without errors. Loops and recursion are bounded, so that runs end soon; traps can
//! happen.

use super::rng::Rng;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ty {
    Int,
    Bool,
    Ints(u32),
    Bools(u32),
}

use Ty::*;

impl Ty {
    fn is_list(self) -> bool {
        matches!(self, Ints(_) | Bools(_))
    }
    fn element(self) -> Ty {
        if matches!(self, Ints(_)) { Int } else { Bool }
    }
    fn same_kind(self, other: Ty) -> bool {
        std::mem::discriminant(&self) == std::mem::discriminant(&other)
    }
    fn text(self) -> String {
        match self {
            Int => "int".into(),
            Bool => "bool".into(),
            Ints(16) => "[int]".into(),
            Ints(n) => format!("[int; {n}]"),
            Bools(16) => "[bool]".into(),
            Bools(n) => format!("[bool; {n}]"),
        }
    }
}

struct Function {
    name: String,
    params: Vec<Ty>,
    result: Ty,
}

/// An expression's text and the precedence of its top operator.
type Expr = (String, u32);
const PRIMARY: u32 = 12;
const PREFIX: u32 = 10;

struct Generator {
    rng: Rng,
    out: String,
    /// The names that each block declares, innermost block last.
    scopes: Vec<Vec<(String, Ty)>>,
    functions: Vec<Function>,
    locals: usize,
    loops: usize,
}

/// Returns a well-typed program, determined by the seed.
pub fn program(seed: u64) -> String {
    let rng = Rng::new(seed);
    let mut g =
        Generator { rng, out: String::new(), scopes: vec![vec![]], functions: vec![], locals: 0, loops: 0 };
    g.program();
    g.out
}

impl Generator {
    fn program(&mut self) {
        for i in 0..self.rng.below(4) {
            let ty = if self.rng.one_in(3) { Bool } else { Int };
            let value = match ty {
                Bool => self.rng.pick(&["true", "false", "1 < 2", "!(3 == 3) || true"]).to_string(),
                _ => format!("{} {} {}", self.literal().0, self.rng.pick(&["+", "*", "-", "^", "<<"]), i + 1),
            };
            self.line(0, &format!("const K{i} = {value};"));
            self.scopes[0].push((format!("K{i}"), ty));
        }
        for i in 0..1 + self.rng.below(5) {
            self.function(i);
        }
        for i in 0..1 + self.rng.below(5) {
            let name = if self.rng.one_in(3) { format!("\"case {i}\": ") } else { String::new() };
            let body = self.expr(Bool, 3).0;
            self.line(0, &format!("test {name}{body};"));
        }
        for _ in 0..self.rng.below(3) {
            self.property();
        }
    }

    fn property(&mut self) {
        let mut binders = vec![];
        self.scopes.push(vec![]);
        for name in ["a", "b", "c"].iter().take(1 + self.rng.below(3)) {
            let lo = self.rng.below(40) as i32 - 20;
            let span = *self.rng.pick(&[3, 12, 3000]);
            let hi = lo + self.rng.below(span) as i32;
            if self.rng.one_in(3) {
                let n = 1 + self.rng.below(6) as u32;
                binders.push(format!("{name} in [{lo}..{hi}; {n}]"));
                self.declare(name, Ints(n));
            } else {
                binders.push(format!("{name} in {lo}..{hi}"));
                self.declare(name, Int);
            }
        }
        let condition = self.condition();
        let body = self.expr(Bool, 3).0;
        self.scopes.pop();
        self.line(0, &format!("prop {}{condition} => {body};", binders.join(", ")));
    }

    /// Returns the condition of every other property. It uses a separate generator, so that the rest of the
    /// program does not depend on it.
    fn condition(&mut self) -> String {
        let apart = Rng::new(self.out.len() as u64 ^ 0xc0de);
        let rng = std::mem::replace(&mut self.rng, apart);
        let condition = match self.rng.below(6) {
            0..=2 => String::new(),
            3 => format!(" if {}", self.rng.pick(&["true", "false", "1 < 0", "a == a"])),
            _ => format!(" if {}", self.expr(Bool, 2).0),
        };
        self.rng = rng;
        condition
    }

    fn function(&mut self, index: usize) {
        let result = self.ty();
        let params: Vec<Ty> = (0..self.rng.below(4)).map(|_| self.ty()).collect();
        self.scopes.push(vec![]);
        let mut header = vec![];
        for (i, ty) in params.iter().enumerate() {
            let name = format!("p{i}");
            header.push(format!("{name}: {}", ty.text()));
            self.declare(&name, *ty);
        }
        let name = format!("f{index}");
        self.line(0, &format!("fn {name}({}) -> {} {{", header.join(", "), result.text()));
        self.locals = 0;
        // Occasionally a bounded recursion: the first parameter counts down.
        if params.first() == Some(&Int) && self.rng.one_in(3) {
            let rest: Vec<String> = params[1..].iter().map(|ty| self.expr(*ty, 1).0).collect();
            let arguments = std::iter::once("p0 - 1".to_string()).chain(rest).collect::<Vec<_>>().join(", ");
            let base = self.expr(result, 1).0;
            self.line(1, &format!("if p0 > 0 && p0 < 5 {{ return {name}({arguments}); }}"));
            self.line(1, &format!("if p0 < 0 {{ return {base}; }}"));
        }
        let count = 1 + self.rng.below(5);
        self.statements(1, count, result);
        self.ending(1, result, 2);
        self.line(0, "}");
        self.scopes.pop();
        self.functions.push(Function { name, params, result });
    }

    /// Ends a function on every path.
    fn ending(&mut self, indent: usize, result: Ty, depth: usize) {
        match self.rng.below(if depth == 0 { 1 } else { 5 }) {
            1 => {
                let condition = self.expr(Bool, 2).0;
                self.line(indent, &format!("if {condition} {{"));
                self.block(indent + 1, result, |g| g.ending(indent + 1, result, depth - 1));
                self.line(indent, "} else {");
                self.block(indent + 1, result, |g| g.ending(indent + 1, result, depth - 1));
                self.line(indent, "}");
            }
            2 => {
                self.line(indent, "while true {");
                self.block(indent + 1, result, |g| g.ending(indent + 1, result, 0));
                self.line(indent, "}");
            }
            _ => {
                let value =
                    if result.is_list() && self.rng.one_in(6) { "[]".into() } else { self.expr(result, 3).0 };
                self.line(indent, &format!("return {value};"));
            }
        }
    }

    fn block(&mut self, indent: usize, result: Ty, end: impl FnOnce(&mut Self)) {
        self.scopes.push(vec![]);
        let count = self.rng.below(2);
        self.statements(indent, count, result);
        end(self);
        self.scopes.pop();
    }

    fn statements(&mut self, indent: usize, count: usize, result: Ty) {
        for _ in 0..count {
            self.statement(indent, result);
        }
    }

    fn statement(&mut self, indent: usize, result: Ty) {
        let nested = indent < 4;
        match self.rng.below(12) {
            0..=2 => self.let_statement(indent),
            3 | 4 => self.assignment(indent),
            5 => self.element_assignment(indent),
            6 if nested => self.if_statement(indent, result),
            7 if nested => self.while_statement(indent, result),
            8 | 9 if nested => self.for_statement(indent, result),
            10 if nested => {
                self.line(indent, "{");
                self.block(indent + 1, result, |g| g.statement(indent + 1, result));
                self.line(indent, "}");
            }
            11 if self.loops > 0 => {
                let condition = self.expr(Bool, 1).0;
                let word = self.rng.pick(&["break", "continue"]).to_string();
                self.line(indent, &format!("if {condition} {{ {word}; }}"));
            }
            _ => {
                let condition = self.expr(Bool, 1).0;
                let value = self.expr(result, 1).0;
                self.line(indent, &format!("if {condition} {{ return {value}; }}"));
            }
        }
    }

    fn let_statement(&mut self, indent: usize) {
        let free: Vec<&str> = ["x", "y", "z", "u", "v", "w"]
            .into_iter()
            .filter(|name| !self.scopes.last().is_some_and(|s| s.iter().any(|(n, _)| n == name)))
            .collect();
        if free.is_empty() || self.locals > 50 {
            return self.assignment(indent);
        }
        let name = free[self.rng.below(free.len())].to_string();
        let ty = self.ty();
        let (annotation, value) = match self.rng.below(3) {
            0 if ty.is_list() => (format!(": {}", ty.text()), "[]".to_string()),
            1 => (format!(": {}", ty.text()), self.expr(ty, 3).0),
            _ => (String::new(), self.expr(ty, 3).0),
        };
        self.line(indent, &format!("let {name}{annotation} = {value};"));
        self.locals += 1;
        self.declare(&name, ty);
    }

    fn assignment(&mut self, indent: usize) {
        let Some((name, ty)) = self.variable(|_| true) else { return };
        let text = match ty {
            Int if self.rng.one_in(2) => {
                let op =
                    self.rng.pick(&["+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="]).to_string();
                format!("{name} {op} {};", self.expr(Int, 2).0)
            }
            Ints(_) | Bools(_) if self.rng.one_in(2) => format!("{name} += {};", self.expr(ty, 1).0),
            Ints(_) | Bools(_) if self.rng.one_in(6) => format!("{name} = [];"),
            _ => format!("{name} = {};", self.expr(ty, 2).0),
        };
        self.line(indent, &text);
    }

    fn element_assignment(&mut self, indent: usize) {
        let Some((name, ty)) = self.variable(Ty::is_list) else { return self.assignment(indent) };
        let index = self.index().0;
        let value = self.expr(ty.element(), 2).0;
        let op = if ty.element() == Int && self.rng.one_in(2) { "+=" } else { "=" };
        self.line(indent, &format!("{name}[{index}] {op} {value};"));
    }

    fn if_statement(&mut self, indent: usize, result: Ty) {
        let condition = self.expr(Bool, 2).0;
        self.line(indent, &format!("if {condition} {{"));
        self.block(indent + 1, result, |g| g.statement(indent + 1, result));
        while self.rng.one_in(3) {
            let condition = self.expr(Bool, 1).0;
            self.line(indent, &format!("}} else if {condition} {{"));
            self.block(indent + 1, result, |g| g.statement(indent + 1, result));
        }
        if self.rng.one_in(2) {
            self.line(indent, "} else {");
            self.block(indent + 1, result, |g| g.statement(indent + 1, result));
        }
        self.line(indent, "}");
    }

    /// A loop that increments its own counter, which nothing else assigns.
    fn while_statement(&mut self, indent: usize, result: Ty) {
        if self.locals > 50 || self.loops > 1 {
            return self.assignment(indent);
        }
        let counter = format!("n{}", self.locals);
        self.locals += 1;
        self.line(indent, &format!("let {counter} = 0;"));
        let more = if self.rng.one_in(3) { format!(" && {}", self.expr(Bool, 1).0) } else { String::new() };
        let times = 1 + self.rng.below(5);
        self.line(indent, &format!("while {counter} < {times}{more} {{"));
        self.line(indent + 1, &format!("{counter} += 1;"));
        self.loops += 1;
        self.block(indent + 1, result, |g| g.statement(indent + 1, result));
        self.loops -= 1;
        self.line(indent, "}");
    }

    fn for_statement(&mut self, indent: usize, result: Ty) {
        if self.locals > 50 || self.loops > 1 {
            return self.assignment(indent);
        }
        let name = self.rng.pick(&["i", "j", "k"]).to_string();
        let (over, ty) = if self.rng.one_in(2) {
            let ty = if self.rng.one_in(2) { Ints(16) } else { Bools(16) };
            (self.expr(ty, 1).0, ty.element())
        } else {
            let low = self.rng.below(4) as i32 - 2;
            let dots = self.rng.pick(&["..", "..="]).to_string();
            let high = if self.rng.one_in(4) { "(1 & 3) + 3".into() } else { format!("{}", low + 3) };
            (format!("{low}{dots}{high}"), Int)
        };
        self.line(indent, &format!("for {name} in {over} {{"));
        self.locals += 1;
        self.loops += 1;
        self.scopes.push(vec![(name, ty)]);
        for _ in 0..1 + self.rng.below(2) {
            self.statement(indent + 1, result);
        }
        self.scopes.pop();
        self.loops -= 1;
        self.line(indent, "}");
    }

    /// Returns an expression of a type compatible with `ty`; `depth` bounds its height.
    fn expr(&mut self, ty: Ty, depth: usize) -> Expr {
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

    fn index(&mut self) -> Expr {
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

    fn literal(&mut self) -> Expr {
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

    fn ty(&mut self) -> Ty {
        let capacity = *self.rng.pick(&[16, 16, 4, 8, 64]);
        match self.rng.below(8) {
            0..=3 => Int,
            4 | 5 => Bool,
            6 => Ints(capacity),
            _ => Bools(capacity),
        }
    }

    fn declare(&mut self, name: &str, ty: Ty) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.push((name.to_string(), ty));
        }
    }

    /// Returns a name in scope that is not shadowed.
    fn any_name(&mut self, fits: impl Fn(Ty) -> bool) -> Option<(String, Ty)> {
        let mut seen: Vec<(String, Ty)> = vec![];
        for (name, ty) in self.scopes.iter().rev().flat_map(|s| s.iter().rev()) {
            if !seen.iter().any(|(n, _)| n == name) {
                seen.push((name.clone(), *ty));
            }
        }
        seen.retain(|(_, ty)| fits(*ty));
        if seen.is_empty() { None } else { Some(self.rng.pick(&seen).clone()) }
    }

    /// Returns a variable that may be assigned to, so not a constant.
    fn variable(&mut self, fits: impl Fn(Ty) -> bool) -> Option<(String, Ty)> {
        self.any_name(fits).filter(|(name, _)| !name.starts_with('K'))
    }

    fn line(&mut self, indent: usize, text: &str) {
        self.out.push_str(&"    ".repeat(indent));
        self.out.push_str(text);
        if self.rng.one_in(20) {
            self.out.push_str(" // a comment");
        }
        self.out.push('\n');
    }
}

fn wrap((text, strength): Expr, least: u32) -> String {
    if strength < least { format!("({text})") } else { text }
}
