//! Random well-typed programs: every statement, operator, type and built-in, in any nesting.
//!
//! Every program compiles without errors. Loops and recursion are bounded, so that runs end soon; traps can
//! happen.

mod expressions;

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
