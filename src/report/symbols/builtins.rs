//! The built-in functions, as shown to users.

/// A built-in function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Builtin {
    pub name: &'static str,
    pub signature: &'static str,
    pub does: &'static str,
}

/// All of them; `int` is a keyword, the others are in [`crate::lang::token::BUILTINS`].
const TABLE: [Builtin; 5] = [
    Builtin { name: "len", signature: "fn len(xs: [_]) -> int", does: "The number of elements of a list." },
    Builtin {
        name: "abs",
        signature: "fn abs(x: int) -> int",
        does: "The absolute value; of -2147483648, itself.",
    },
    Builtin { name: "min", signature: "fn min(a: int, b: int) -> int", does: "The smaller value." },
    Builtin { name: "max", signature: "fn max(a: int, b: int) -> int", does: "The greater value." },
    Builtin { name: "int", signature: "fn int(b: bool) -> int", does: "1 for `true`, 0 for `false`." },
];

/// All built-in functions.
pub fn builtins() -> impl Iterator<Item = Builtin> {
    TABLE.into_iter()
}

/// Returns the built-in function with this name.
pub fn builtin(name: &str) -> Option<Builtin> {
    builtins().find(|builtin| builtin.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::token::BUILTINS;

    #[test]
    fn table_has_every_builtin() {
        let names: Vec<&str> = builtins().map(|builtin| builtin.name).collect();
        assert_eq!(names, [BUILTINS, &["int"]].concat());
    }
}
