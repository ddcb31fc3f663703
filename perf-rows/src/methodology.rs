//! How numbers came to be, as one text: what the catalogue says of it, and fingerprints of files, with spaces between.

/// What the fingerprint of the files that say which toolchain builds begins with.
pub const TOOLCHAIN: &str = "toolchain:";

/// The toolchain that a methodology names.
pub fn toolchain(methodology: &str) -> Option<&str> {
    methodology.split(' ').find(|word| word.starts_with(TOOLCHAIN))
}

/// Whether two methodologies are one, whatever builds what is measured: a slower compiler is a finding.
pub fn is_same(one: &str, other: &str) -> bool {
    one == other || without_toolchain(one).eq(without_toolchain(other))
}

fn without_toolchain(methodology: &str) -> impl Iterator<Item = &str> {
    methodology.split(' ').filter(|word| !word.starts_with(TOOLCHAIN))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_toolchain_is_no_part_of_the_method() {
        assert!(is_same("min of 5 toolchain:1a harness:2b", "min of 5 toolchain:3c harness:2b"));
        assert!(is_same("min of 5", "min of 5 toolchain:3c"));
        assert!(is_same("toolchain:3c", "toolchain:4d"));
        assert!(!is_same("min of 5 toolchain:1a", "min of 9 toolchain:1a"));
        assert!(!is_same("toolchain:1a harness:2b", "toolchain:1a harness:3c"));
    }

    #[test]
    fn a_toolchain_is_a_word_of_its_own() {
        assert_eq!(toolchain("min of 5 toolchain:1a harness:2b"), Some("toolchain:1a"));
        assert_eq!(toolchain("min of 5 harness:2b"), None);
        assert_eq!(toolchain("the toolchain: any"), Some("toolchain:"));
        assert_eq!(toolchain("crosstoolchain:1a"), None);
    }
}
