//! Hashes that are written to files or compared across runs, so their values never change.

/// Returns the 64-bit FNV-1a hash of bytes (Fowler, Noll and Vo, draft-eastlake-fnv). It detects damage, not forgery.
pub fn fnv64(bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes
        .into_iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// Like [`fnv64`], with 128 bits.
pub fn fnv128(bytes: impl IntoIterator<Item = u8>) -> u128 {
    bytes.into_iter().fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d, |hash, byte| {
        (hash ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of the draft's appendix.
    #[test]
    fn hashes_equal_the_published_values() {
        assert_eq!(fnv64([]), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv64(*b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv64(*b"foobar"), 0x8594_4171_f739_67e8);
        assert_eq!(fnv128(*b"a"), 0xd228_cb69_6f1a_8caf_7891_2b70_4e4a_8964);
    }
}
