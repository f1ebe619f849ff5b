//! Formats numbers for texts: grouped thousands, and nouns in singular or plural.

/// Formats an integer with grouped thousands: `1,024`.
pub fn grouped(n: u64) -> String {
    grouped_digits(&n.to_string())
}

/// Groups the thousands of a string of digits, for numbers too large for an integer type.
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

/// Formats a large count with three digits at most: `532`, `41 k`, `1.2 G`.
pub fn rounded(n: f64) -> String {
    let (by, unit) = match n {
        ..1e3 => (1.0, ""),
        ..1e6 => (1e3, " k"),
        ..1e9 => (1e6, " M"),
        _ => (1e9, " G"),
    };
    let digits = usize::from(n >= 1e3 && n < 10.0 * by);
    format!("{:.digits$}{unit}", n / by)
}

/// Formats a count and its noun, given as one word in the singular: `1 mutant`, `1,024 mutants`, `0
/// properties`.
pub fn plural(n: u64, one: &str) -> String {
    format!("{} {}", grouped(n), noun(n, one))
}

/// Returns the noun in the form that follows the number `n`, without the number.
pub fn noun(n: u64, one: &str) -> String {
    let vowel = |c: char| "aeiou".contains(c);
    match one.strip_suffix('y') {
        _ if n == 1 => one.to_string(),
        Some(stem) if !stem.ends_with(vowel) => format!("{stem}ies"),
        _ if one.ends_with(['s', 'x']) || one.ends_with("ch") => format!("{one}es"),
        _ => format!("{one}s"),
    }
}
