//! Words and operators of other languages, with the equivalents of this one.

use super::super::outline::{Outline, OutlineFault};
use super::Mistake;
use crate::lang::diagnostic::Code;
use crate::lang::index::{Index, TokenId};
use crate::lang::token::TokenKind::{self, *};
use crate::report::names::nearest;
use crate::report::visible::visible;

/// Words with the same replacement.
struct MistakeWord {
    words: &'static [&'static str],
    instead: &'static str,
}

/// Words that begin a statement with a block, and whether errors inside the block are still reported.
const CONSTRUCTS: [(MistakeWord, bool); 8] = [
    (MistakeWord { words: &["elif", "elseif", "elsif"], instead: "`else if … { … }`" }, true),
    (MistakeWord { words: &["loop", "forever"], instead: "`while true { … }`" }, true),
    (
        MistakeWord {
            words: &["do", "repeat"],
            instead: "`while … { … }`, or `while true { … }` with a `break`",
        },
        true,
    ),
    (MistakeWord { words: &["until", "unless"], instead: "`while !(…) { … }`, `if !(…) { … }`" }, true),
    (MistakeWord { words: &["foreach", "each"], instead: "`for x in xs { … }`" }, true),
    (MistakeWord { words: &["switch", "match", "case"], instead: "`if … { … } else if … { … }`" }, false),
    (
        MistakeWord {
            words: &["try", "catch", "finally", "except"],
            instead: "a trap ends the program: check for errors first",
        },
        true,
    ),
    (
        MistakeWord { words: &["function", "def", "func", "fun"], instead: "`fn` outside of other functions" },
        false,
    ),
];

/// Words that begin a statement without a block.
const STATEMENTS: [MistakeWord; 6] = [
    MistakeWord {
        words: &["print", "println", "printf", "puts", "echo"],
        instead: "nothing is printed: return the value",
    },
    MistakeWord { words: &["assert"], instead: "`test …;` outside of functions" },
    MistakeWord {
        words: &["throw", "raise", "panic", "exit"],
        instead: "return a value that indicates the error",
    },
    MistakeWord { words: &["pass"], instead: "a block may be empty: `{ }`" },
    MistakeWord {
        words: &["goto"],
        instead: "`break` leaves a loop, `continue` begins its next round, `return` leaves the function",
    },
    MistakeWord {
        words: &["end", "endif", "fi", "done", "begin"],
        instead: "a block is written with braces: `{ … }`",
    },
];

const ITEMS: [MistakeWord; 6] = [
    MistakeWord {
        words: &["def", "function", "func", "fun", "proc"],
        instead: "`fn NAME(n: int) -> int { … }`",
    },
    MistakeWord { words: &["let", "var", "val", "static", "final"], instead: "`const NAME = …;`" },
    MistakeWord { words: &["assert", "expect"], instead: "`test …;`" },
    MistakeWord {
        words: &["pub", "public", "private", "export"],
        instead: "every item is visible in the whole file",
    },
    MistakeWord {
        words: &["import", "use", "include", "from", "package", "module", "using"],
        instead: "a program is one file",
    },
    MistakeWord {
        words: &[
            "class",
            "struct",
            "enum",
            "interface",
            "trait",
            "impl",
            "type",
            "typedef",
            "record",
            "object",
        ],
        instead: "there are no types of your own: values are ints, bools and lists of them",
    },
];

const TYPES: [MistakeWord; 5] = [
    MistakeWord {
        words: &[
            "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "isize", "usize", "integer", "Integer",
            "Int", "long", "short", "unsigned", "number", "byte",
        ],
        instead: "the type of numbers is `int`",
    },
    MistakeWord { words: &["boolean", "Boolean", "Bool"], instead: "the type of `true` and `false` is `bool`" },
    MistakeWord {
        words: &["str", "string", "String", "char"],
        instead: "a character is an `int`, and a string is a list of ints: `[int]`",
    },
    MistakeWord { words: &["float", "double", "f32", "f64"], instead: "all numbers are whole: `int`" },
    MistakeWord {
        words: &["list", "List", "array", "Array", "vec", "Vec"],
        instead: "a list of ints is `[int]`",
    },
];

/// The help for functions that are used as values.
const NO_VALUE: &str = "a function is declared by `fn`, and is not a value";

/// Operators that are words in other languages.
const OPERATORS: [MistakeWord; 12] = [
    MistakeWord { words: &["and"], instead: "`&&` is and" },
    MistakeWord { words: &["or"], instead: "`||` is or" },
    MistakeWord { words: &["not"], instead: "`!` is not" },
    MistakeWord { words: &["mod"], instead: "`%` is the remainder" },
    MistakeWord { words: &["div"], instead: "`/` divides, and drops the remainder" },
    MistakeWord { words: &["xor"], instead: "`^` is exclusive or of ints, `!=` of bools" },
    MistakeWord {
        words: &["as"],
        instead: "`int(…)` converts a bool to 0 or 1; there are no other conversions",
    },
    MistakeWord { words: &["then"], instead: "a block follows the condition: `{ … }`" },
    MistakeWord { words: &["is"], instead: "`==` compares" },
    MistakeWord { words: &["lambda"], instead: NO_VALUE },
    MistakeWord { words: &["new"], instead: "a list is written `[1, 2, 3]`, or `[0; 3]` for three zeros" },
    MistakeWord {
        words: &["typeof", "instanceof"],
        instead: "every name has one type, so there is nothing to ask",
    },
];

/// Pairs of adjacent tokens that are one operator in other languages.
const PAIRS: [(&str, &str, &str); 11] = [
    ("==", "=", "`==` compares"),
    ("!=", "=", "`!=` compares"),
    ("*", "*", "there is no operator for powers: multiply in a loop"),
    ("^", "^", "`!=` is exclusive or of bools"),
    ("<", ">", "`!=` compares"),
    ("=", "+", "`+=` adds"),
    ("=", "*", "`*=` multiplies"),
    (":", "=", "`let x = …;` declares, `x = …;` assigns"),
    ("=", ">", "`>=` compares"),
    ("=", "<", "`<=` compares"),
    (">>", ">", "`>>` shifts to the right and keeps the sign"),
];

/// Functions of other languages.
const FUNCTIONS: [MistakeWord; 9] = [
    MistakeWord { words: &["range"], instead: "`for i in 0..n { … }`" },
    MistakeWord { words: &["length", "size", "count", "sizeof"], instead: "`len(xs)`" },
    MistakeWord {
        words: &["Some", "Ok", "Err", "Just"],
        instead: "every variable has a value of its type: write the value alone",
    },
    MistakeWord {
        words: &["input", "read", "scanf", "gets", "prompt"],
        instead: "a program reads no input: a function takes parameters",
    },
    MistakeWord {
        words: &["float", "round", "floor", "ceil"],
        instead: "all numbers are whole: `/` drops the remainder",
    },
    MistakeWord {
        words: &["print", "println", "printf", "puts"],
        instead: "nothing is printed: return the value",
    },
    MistakeWord { words: &["append", "push"], instead: "`xs + [x]` appends `x` to a list" },
    MistakeWord { words: &["pow"], instead: "there is no operator for powers: multiply in a loop" },
    MistakeWord {
        words: &["sum", "sort", "sorted", "reverse", "reversed", "enumerate", "zip", "map", "filter", "sqrt"],
        instead: "the built-in functions are `len`, `abs`, `min`, `max` and `int`: write it with a loop",
    },
];

/// Methods and fields of other languages.
const METHODS: [MistakeWord; 7] = [
    MistakeWord {
        words: &["len", "length", "size", "count"],
        instead: "there are no methods and no fields: write `len(xs)`",
    },
    MistakeWord {
        words: &["push", "append", "add", "push_back"],
        instead: "there are no methods and no fields: `xs += [x];` appends `x` to a list",
    },
    MistakeWord { words: &["abs"], instead: "there are no methods and no fields: write `abs(x)`" },
    MistakeWord {
        words: &["min", "max"],
        instead: "there are no methods and no fields: write `min(a, b)`, `max(a, b)`",
    },
    MistakeWord {
        words: &["pop", "remove", "insert", "slice"],
        instead: "there are no methods and no fields: `xs[a..b]` is a part of a list, and `+` joins two",
    },
    MistakeWord {
        words: &["log", "print", "println", "printf", "out"],
        instead: "nothing is printed: return the value",
    },
    MistakeWord {
        words: &["unwrap", "clone", "iter", "to_string"],
        instead: "there are no methods: leave it out",
    },
];

/// Characters of word processors, and what to write instead.
const CHARACTERS: [(&str, &str); 6] = [
    ("“”„‟«»", "a string has double quotes: `\"abc\"`"),
    ("‘’‚‛", "a character has single quotes: `'a'`"),
    ("−–—", "minus is `-`"),
    ("×·", "`*` multiplies"),
    ("÷", "`/` divides"),
    ("≤≥≠", "`<=`, `>=` and `!=` compare"),
];

/// Names of values in other languages.
const VARIABLES: [MistakeWord; 3] = [
    MistakeWord { words: &["True", "TRUE"], instead: "`true`" },
    MistakeWord { words: &["False", "FALSE"], instead: "`false`" },
    MistakeWord {
        words: &["null", "None", "nil", "NULL", "undefined"],
        instead: "every variable has a value of its type",
    },
];

fn find(table: &[MistakeWord], text: &str) -> Option<&'static str> {
    table.iter().find(|row| row.words.contains(&text)).map(|row| row.instead)
}

/// Returns whether a word declares a variable in other languages.
pub fn declares(word: &str) -> bool {
    matches!(word, "var" | "auto" | "mut" | "val" | "static" | "final" | "local" | "dim")
}

/// Returns the hint for a type name of another language.
pub fn type_hint(word: &str) -> Option<&'static str> {
    find(&TYPES, word)
}

pub fn variable_hint(name: &str) -> Option<&'static str> {
    find(&VARIABLES, name)
}

/// Returns whether a word begins a function in other languages.
pub fn begins_function(word: &str) -> bool {
    ITEMS[0].words.contains(&word)
}

pub fn function_hint(name: &str) -> Option<&'static str> {
    find(&FUNCTIONS, name)
}

/// Returns the hint for an undeclared function whose name is nearly one of another language.
pub fn misspelt_function_hint(name: &str) -> Option<&'static str> {
    let words: Vec<&str> = FUNCTIONS.iter().flat_map(|row| row.words).copied().collect();
    function_hint(nearest(name, &words)?)
}

/// Returns the hint for an unexpected token `t`. `head` begins its statement; `None` stands for the beginning
/// of an item.
pub fn hint(outline: &Outline, t: TokenId, head: Option<TokenKind>) -> Option<&'static str> {
    let text = outline.text(t);
    let Some(head) = head else { return find(&ITEMS, text) };
    let pair = |at: TokenId| {
        let is_pair = |row: &&(&str, &str, &str)| (outline.text(at), outline.text(at + 1)) == (row.0, row.1);
        PAIRS.iter().find(is_pair).filter(|_| outline.adjoins_next(at)).map(|row| row.2)
    };
    if let Some(help) = t.previous().and_then(pair).or_else(|| pair(t)) {
        return Some(help);
    }
    let before = t.previous().map_or(Semicolon, |before| outline.kind(before));
    match outline.kind(t) {
        Colon if head == Fn && before == RightParen => Some("the type of the result follows `->`: `-> int`"),
        LeftBrace if head == Test => Some("a test is one condition: `test \"a name\": f(1) == 2;`"),
        LeftBrace if head == Fn && before == RightParen => Some("every function returns a value: `-> int`"),
        RightParen | Comma if head == Fn && before == Name => Some("a parameter has a type: `n: int`"),
        kind if head == Fn && kind.begins_statement() => Some("the body of a function has braces: `{ … }`"),
        Equal if head == For => Some("`for i in 0..n { … }`"),
        Name if head == For && text == "of" => Some("`in`"),
        In if head != For && head != Prop => {
            Some("`in` only follows the variable of a loop or a property: search the list in a loop")
        }
        Str if before == Name => Some("a string has no prefix, and nothing is inserted into it"),
        Bar | BarBar if !before.ends_operand() => Some(NO_VALUE),
        FatArrow if head != Prop => Some(NO_VALUE),
        Ampersand | Star if !before.ends_operand() => {
            Some("there are no references and no pointers: write the name alone")
        }
        IntType | BoolType if before == LeftParen && outline.is(t + 1, RightParen) => {
            Some("`int(…)` converts a bool to 0 or 1; there are no other conversions")
        }
        IntType | BoolType if t.previous().is_some_and(|before| outline.text(before) == "new") => {
            find(&OPERATORS, "new")
        }
        Bang if before == Name && outline.is(t + 1, LeftBracket) => Some("a list is written `[1, 2, 3]`"),
        Semicolon if before == Return => Some("every function returns a value: `return …;`"),
        Equal if head == Fn => Some("a parameter has no default value: every call passes all arguments"),
        Colon if head == Const => Some("a constant has the type of its value: `const N = 1;`"),
        Colon if before == Name && outline.is(t + 1, Colon) => {
            Some("there are no modules: write the name alone, as in `max(a, b)`")
        }
        Comma if head == Let && outline.is(t + 1, Name) && outline.is(t + 2, Equal) => {
            Some("each variable is declared by a `let` of its own: `let a = 1; let b = 2;`")
        }
        Comma if !matches!(head, Fn | Prop | Test) => {
            Some("there are no tuples: use several variables, or return a list")
        }
        RightBracket if before == DotDot => Some("a slice has both bounds: `xs[a..len(xs)]`"),
        DotDot if before == LeftBracket => Some("a slice has both bounds: `xs[0..b]`"),
        Colon if !matches!(head, Fn | Let | Const | Test | Prop) => {
            Some("a slice is written with two dots: `xs[a..b]`")
        }
        LeftBracket if before == LeftBracket => Some("lists do not nest: use one list, and compute the index"),
        IntType | BoolType if head == Fn && outline.is(t + 1, Name) => {
            Some("a parameter's type follows its name: `n: int`")
        }
        Equal if matches!(head, If | While | Else | Test | Return) => Some("`==` compares; `=` assigns"),
        Name => {
            let before = t.previous().and_then(|before| find(&OPERATORS, outline.text(before)));
            find(&OPERATORS, text).or(before).or_else(|| type_hint(text))
        }
        LeftBracket
            if t.previous().is_some_and(|before| matches!(outline.kind(before), IntType | BoolType)) =>
        {
            Some("a list type is written with brackets around the element type: `[int]`")
        }
        _ => None,
    }
}

/// Returns the hint for characters at `t` that begin no token.
pub fn lexical_hint(outline: &Outline, t: TokenId) -> Option<&'static str> {
    let before = t.previous().map_or(Semicolon, |before| outline.kind(before));
    match outline.text(t).chars().next()? {
        '?' => Some("there is no `… ? … : …`: use an `if` statement"),
        '.' if before == Name || before == RightParen || before == RightBracket => {
            let known = find(&METHODS, outline.text(t + 1));
            known.or(Some("there are no methods and no fields: a function takes the value, as in `len(xs)`"))
        }
        '.' if before == DotDot || outline.is(t + 1, DotDot) => Some("`+` joins two lists: `xs + [1]`"),
        '.' if before == Int => Some("all numbers are whole; a range has two dots: `0..n`"),
        '.' if before.ends_operand() => Some("there are no methods and no fields: write `len(xs)`"),
        '.' => Some("all numbers are whole; a range has two dots: `0..n`"),
        '#' => Some("a comment begins with `//`"),
        '`' => Some("a string has double quotes: `\"abc\"`"),
        '$' | '@' => Some("a name consists of letters, digits and `_`"),
        c => CHARACTERS.iter().find(|(characters, _)| characters.contains(c)).map(|(_, help)| *help),
    }
}

/// Returns the hint for the first word of an expression statement.
pub fn statement_hint(word: &str) -> Option<&'static str> {
    find(&STATEMENTS, word)
}

/// `“abc”`, `$a + $b`: several wrong characters with one cause.
pub fn characters(outline: &Outline, fault: &OutlineFault) -> Option<Mistake> {
    let statement = fault.statement;
    let is_wrong =
        |t: &TokenId| outline.kind(*t) == Error && lexical_hint(outline, *t) == lexical_hint(outline, fault.at);
    let help = lexical_hint(outline, fault.at).filter(|_| fault.code == Code::UnexpectedCharacter)?;
    let wrong: Vec<TokenId> = statement.first.up_to(statement.end).iter().filter(is_wrong).collect();
    if wrong.len() < 2 || wrong.first() != Some(&fault.at) {
        return None;
    }
    let message = format!("unexpected `{}`", visible(outline.text(fault.at)));
    let mut mistake = Mistake::new(Code::UnexpectedCharacter, outline.bytes(fault.at), message, fault.at);
    mistake.covers = wrong.into_iter().map(Into::into).collect();
    Some(mistake.help(help))
}

/// `n++;`, `--n;`, `x = n++;`
pub fn step(outline: &Outline, fault: &OutlineFault) -> Option<Mistake> {
    let statement = fault.statement;
    let is_sign =
        |t: TokenId, kind: TokenKind| outline.is(t, kind) && outline.is(t + 1, kind) && outline.adjoins_next(t);
    let signs = |t: &TokenId| is_sign(*t, Plus) || is_sign(*t, Minus);
    let at = match fault.code {
        Code::ExpressionStatement => statement.first.up_to(statement.end).iter().find(signs)?,
        _ => [fault.at - 1, fault.at].into_iter().find(signs).filter(|t| *t >= statement.first)?,
    };
    // `a - -b` is an expression; `a--;` and `--a;` are taken for steps.
    let stands_alone = at == statement.first || outline.is(at + 2, Semicolon);
    if fault.code == Code::ExpressionStatement && !stands_alone {
        return None;
    }
    let sign = outline.text(at);
    let target = match at == statement.first {
        true if !outline.adjoins_next(at + 1) => return None,
        true => outline.source(at + 2..statement.end - u32::from(outline.kind(statement.end - 1) == Semicolon)),
        false => outline.source(statement.first..at),
    };
    let is_target = !target.is_empty() && target.len() <= 24 && !target.contains(['=', '\n', '{']);
    let target = if is_target && stands_alone { target } else { "n" };
    let span = outline.bytes(at..at + 2);
    let covers = statement.first..statement.end;
    let mistake =
        Mistake::new(Code::UnexpectedToken, span, format!("there is no operator `{sign}{sign}`"), covers);
    Some(mistake.help(format!("`{target} {sign}= 1;`, a statement of its own")))
}

/// `loop {`, `elif c {`, `switch (x) {`
pub fn construct(outline: &Outline, fault: &OutlineFault) -> Option<Mistake> {
    let statement = fault.statement;
    let word = outline.text(statement.first);
    let (found, is_judged) = CONSTRUCTS.iter().find(|(row, _)| row.words.contains(&word))?;
    let opener = statement.end - 1;
    if !statement.is_inside || outline.kind(statement.first) != Name || outline.kind(opener) != LeftBrace {
        return None;
    }
    let span = outline.bytes(statement.first);
    let closer = outline.partner(opener);
    let end = closer.filter(|_| !is_judged).map_or(statement.end, |closer| closer + 1);
    let mut mistake =
        Mistake::new(Code::UnexpectedToken, span, format!("there is no `{word}`"), statement.first..end);
    // Further parts of the same construct: `while (…);`, `until …;`, `catch { … }`.
    let mut next = closer.map(|closer| closer + 1);
    while let Some(index) = next.and_then(|t| outline.statement_of(t)) {
        let other = outline.statements[index];
        let goes_on = matches!(outline.text(other.first), "while" | "until" | "catch" | "except" | "finally");
        if !goes_on || !other.is_broken || matches!(word, "while" | "until") {
            break;
        }
        mistake.covers.push(other.first.up_to(other.end));
        next = outline.partner(other.end - 1).map(|closer| closer + 1);
    }
    Some(mistake.help(found.instead))
}
