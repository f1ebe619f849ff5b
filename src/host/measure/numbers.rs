//! Numbers in texts: thousands apart, and what is counted in the singular where it is one.

/// A whole number with its thousands apart: `1,024`.
pub fn grouped(n: u64) -> String {
    grouped_digits(&n.to_string())
}

/// The digits of a whole number with their thousands apart, for numbers that no integer holds.
pub fn grouped_digits(digits: &str) -> String {
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// So many of what `one` names, which is one word in the singular: `1 mutant`, `1,024 mutants`, `0 properties`.
pub fn plural(n: u64, one: &str) -> String {
    format!("{} {}", grouped(n), noun(n, one))
}

/// A noun alone, as it stands behind such a number; the number may be written elsewhere.
pub fn noun(n: u64, one: &str) -> String {
    let vowel = |c: char| "aeiou".contains(c);
    match one.strip_suffix('y') {
        _ if n == 1 => one.to_string(),
        Some(stem) if !stem.ends_with(vowel) => format!("{stem}ies"),
        _ if one.ends_with(['s', 'x']) || one.ends_with("ch") => format!("{one}es"),
        _ => format!("{one}s"),
    }
}
