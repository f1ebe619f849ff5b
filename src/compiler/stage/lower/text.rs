//! The codes of a string literal.

/// Returns the codes between the quotes of a well-formed string literal.
pub fn codes(literal: &[u8]) -> impl Iterator<Item = u32> {
    let mut bytes = literal.iter().skip(1).take(literal.len().saturating_sub(2));
    std::iter::from_fn(move || {
        let &byte = bytes.next()?;
        if byte != b'\\' {
            return Some(byte as u32);
        }
        Some(match bytes.next()? {
            b'n' => b'\n' as u32,
            b't' => b'\t' as u32,
            b'0' => 0,
            other => *other as u32,
        })
    })
}
