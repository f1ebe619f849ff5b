//! Random programs of many small functions and short loops: calls in every place, arguments of every kind, lists
//! passed to parameters of other capacities, returns and jumps out of loops, and code that traps.
//!
//! Every program compiles without errors, and every loop and recursion ends.

use super::rng::Rng;

/// The constants of programs; small ones decide loops, large ones overflow.
const CONSTANTS: [&str; 8] = ["0", "1", "2", "3", "-1", "7", "65535", "2147483647"];

struct Generator {
    rng: Rng,
    /// For each function, its parameters: the capacity of a list, or 0 for an int.
    functions: Vec<Vec<u32>>,
    /// The ints and lists that can be read, and the variables that can be assigned.
    ints: Vec<String>,
    lists: Vec<(String, u32)>,
    assigned: Vec<String>,
    names: usize,
    /// Number of loops around the statement.
    loops: usize,
}

/// Returns a program, determined by the seed.
pub fn program(seed: u64) -> String {
    let rng = Rng::new(seed ^ 0xca11ed);
    let mut g =
        Generator { rng, functions: vec![], ints: vec![], lists: vec![], assigned: vec![], names: 0, loops: 0 };
    let mut text = String::new();
    for number in 0..2 + g.rng.below(5) {
        text += &g.function(number);
    }
    for number in 0..g.functions.len() {
        g.ints = vec!["a".into(), "b".into()];
        g.lists = vec![("xs".into(), 3)];
        let call = g.call(number, 1);
        let other = g.int(2);
        text += &format!("prop a in -3..4, b in -2..9, xs in [-1..2; 3] => {call} == {other};\n");
        (g.ints, g.lists) = (vec![], vec![]);
        let call = g.call(number, 0);
        text += &format!("test {call} != {};\n", g.int(0));
    }
    text
}

impl Generator {
    fn function(&mut self, number: usize) -> String {
        let params: Vec<u32> = (0..self.rng.below(4)).map(|_| *self.rng.pick(&[0, 0, 2, 3, 16])).collect();
        (self.ints, self.lists, self.assigned, self.names) = (vec![], vec![], vec![], 0);
        let mut heads = Vec::new();
        for (j, capacity) in params.iter().enumerate() {
            let name = format!("p{j}");
            match capacity {
                0 => {
                    heads.push(format!("{name}: int"));
                    self.ints.push(name.clone());
                    if self.rng.one_in(3) {
                        self.assigned.push(name);
                    }
                }
                _ => {
                    heads.push(format!("{name}: [int; {capacity}]"));
                    self.lists.push((name, *capacity));
                }
            }
        }
        let mut body = String::new();
        for _ in 0..self.rng.below(4) {
            body += &self.statement(2);
        }
        let result = self.int(2);
        self.functions.push(params);
        format!("fn f{number}({}) -> int {{\n{body}return {result};\n}}\n", heads.join(", "))
    }

    fn fresh(&mut self) -> String {
        self.names += 1;
        format!("v{}", self.names)
    }

    fn statement(&mut self, depth: usize) -> String {
        match self.rng.below(if depth == 0 { 4 } else { 8 }) {
            0 | 1 => {
                let (value, name) = (self.int(2), self.fresh());
                self.ints.push(name.clone());
                self.assigned.push(name.clone());
                format!("let {name} = {value};\n")
            }
            2 if !self.assigned.is_empty() => {
                let name = self.rng.pick(&self.assigned.clone()).clone();
                let op = *self.rng.pick(&["=", "+=", "-=", "*="]);
                format!("{name} {op} {};\n", self.int(2))
            }
            3 if !self.lists.is_empty() => {
                let list = self.rng.pick(&self.lists.clone()).0.clone();
                let (index, value) = (self.int(1), self.int(1));
                match self.rng.below(3) {
                    0 => format!("{list}[{index}] = {value};\n"),
                    1 => format!("{list} += [{value}];\n"),
                    _ => format!("{list} = {list}[0..len({list})];\n"),
                }
            }
            4 => {
                let (condition, inside) = (self.bool(), self.block(depth - 1));
                let (otherwise, exit) = (self.block(depth - 1), self.exit());
                match self.rng.below(3) {
                    0 => format!("if {condition} {{\n{inside}}} else {{\n{otherwise}}}\n"),
                    1 => format!("if {condition} {{\n{inside}{exit}}}\n"),
                    _ => format!("if {condition} {{ {exit} }}\n"),
                }
            }
            5 | 6 => {
                let (name, from) = (self.fresh(), self.rng.below(6) as i32 - 3);
                let range = match self.rng.below(4) {
                    0 => format!("{from}..={}", from + self.rng.below(4) as i32 - 1),
                    1 => format!("0..{} & 3", self.int(1)),
                    2 => format!("2147483645..={}", *self.rng.pick(&["2147483647", "2147483646"])),
                    _ => format!("{from}..{}", from + self.rng.below(5) as i32),
                };
                let known = self.ints.len();
                self.ints.push(name.clone());
                self.loops += 1;
                let body = self.block(depth - 1);
                self.loops -= 1;
                self.ints.truncate(known);
                format!("for {name} in {range} {{\n{body}}}\n")
            }
            _ if depth > 0 && !self.lists.is_empty() => {
                let (name, list) = (self.fresh(), self.rng.pick(&self.lists.clone()).0.clone());
                let known = self.ints.len();
                self.ints.push(name.clone());
                self.loops += 1;
                let body = self.block(depth - 1);
                self.loops -= 1;
                self.ints.truncate(known);
                format!("for {name} in {list} {{\n{body}}}\n")
            }
            _ => String::new(),
        }
    }

    /// A block of statements, whose variables end with it.
    fn block(&mut self, depth: usize) -> String {
        let (ints, assigned) = (self.ints.len(), self.assigned.len());
        let mut text = String::new();
        for _ in 0..self.rng.below(3) {
            text += &self.statement(depth);
        }
        self.ints.truncate(ints);
        self.assigned.truncate(assigned);
        text
    }

    fn exit(&mut self) -> String {
        match self.rng.below(if self.loops > 0 { 4 } else { 2 }) {
            0 => String::new(),
            1 => format!("return {};", self.int(1)),
            2 => "break;".into(),
            _ => "continue;".into(),
        }
    }

    fn bool(&mut self) -> String {
        let (a, b) = (self.int(1), self.int(1));
        let op = *self.rng.pick(&["<", "<=", "==", "!=", ">", ">="]);
        match self.rng.below(4) {
            0 => format!("{a} {op} {b} && {} != 0", self.int(1)),
            1 => format!("!({a} {op} {b}) || {} == 1", self.int(1)),
            _ => format!("{a} {op} {b}"),
        }
    }

    fn int(&mut self, depth: usize) -> String {
        let leaf = depth == 0 || self.rng.one_in(3);
        match self.rng.below(if leaf { 2 } else { 8 }) {
            0 if !self.ints.is_empty() => self.rng.pick(&self.ints.clone()).clone(),
            0 | 1 => (*self.rng.pick(&CONSTANTS)).to_string(),
            2 | 3 => {
                let op = *self.rng.pick(&["+", "-", "*", "/", "%", "&", "<<"]);
                format!("({} {op} {})", self.int(depth - 1), self.int(depth - 1))
            }
            4 if depth > 0 && !self.lists.is_empty() => {
                let list = self.rng.pick(&self.lists.clone()).0.clone();
                if self.rng.one_in(2) {
                    format!("len({list})")
                } else {
                    format!("{list}[{}]", self.int(depth - 1))
                }
            }
            5 => format!("int({})", self.bool()),
            _ if depth > 0 && !self.functions.is_empty() => {
                let number = self.rng.below(self.functions.len());
                self.call(number, depth - 1)
            }
            _ => format!("-{}", self.int(depth.saturating_sub(1))),
        }
    }

    fn list(&mut self, depth: usize) -> String {
        if !self.lists.is_empty() && !self.rng.one_in(4) {
            return self.rng.pick(&self.lists.clone()).0.clone();
        }
        let items: Vec<String> = (0..self.rng.below(4)).map(|_| self.int(depth.min(1))).collect();
        format!("[{}]", items.join(", "))
    }

    fn call(&mut self, number: usize, depth: usize) -> String {
        let params = self.functions[number].clone();
        let argument = |capacity: &u32| if *capacity == 0 { self.int(depth) } else { self.list(depth) };
        let arguments: Vec<String> = params.iter().map(argument).collect();
        format!("f{number}({})", arguments.join(", "))
    }
}
