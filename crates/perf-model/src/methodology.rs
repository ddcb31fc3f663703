//! The methodology of a measurement, as one string: words from the config and fingerprints of files, separated by
//! spaces.

/// The prefix of the fingerprint of the benchmark files.
pub const HARNESS: &str = "harness:";

/// The prefix of the fingerprint of the files that select the toolchain.
pub const TOOLCHAIN: &str = "toolchain:";

/// Marks pairs that were run in random order.
pub const RANDOM_ORDER: &str = "pairs in random order";

/// Marks pairs whose base and head were each built once.
pub const ONE_BUILD: &str = "one build a side";

/// Marks pairs whose base ran the head's benchmark files.
pub const HARNESS_OF_CURRENT: &str = "both sides with the current benchmark";

/// The text around the name of a file from the head's build that the base ran.
const SHARED: [&str; 2] = [", with `", "` of the current side"];

/// Extends the methodology of pairs whose base ran `file` from the head's build.
pub fn with_shared_output(methodology: &str, file: &str) -> String {
    format!("{methodology}{}{file}{}", SHARED[0], SHARED[1])
}

/// The file from the head's build that the base ran, if any.
pub fn shared_output(methodology: &str) -> Option<&str> {
    methodology
        .split_once(SHARED[0])?
        .1
        .split_once(SHARED[1])
        .map(|(file, _)| file)
}

/// Whether both methodologies contain a toolchain fingerprint and these fingerprints differ.
pub fn are_built_otherwise(one: &str, other: &str) -> bool {
    words_differ(one, other, TOOLCHAIN)
}

/// Whether both methodologies contain a fingerprint of the benchmark files and these fingerprints differ.
pub fn are_benchmarked_otherwise(one: &str, other: &str) -> bool {
    words_differ(one, other, HARNESS)
}

/// Whether the methodologies differ only in the fingerprints of the benchmark files.
pub fn is_other_benchmark(one: &str, other: &str) -> bool {
    let rest = |text| {
        words(text)
            .filter(|word| !word.starts_with(HARNESS))
            .collect::<Vec<_>>()
    };
    are_benchmarked_otherwise(one, other) && rest(one) == rest(other)
}

/// Whether both methodologies contain words with this prefix and these words differ.
fn words_differ(one: &str, other: &str, prefix: &str) -> bool {
    let words = |text| {
        str::split(text, ' ')
            .filter(|word| word.starts_with(prefix))
            .collect()
    };
    let [one, other]: [Vec<&str>; 2] = [words(one), words(other)];
    !one.is_empty() && !other.is_empty() && one != other
}

/// Whether two methodologies are the same, ignoring the toolchain: a slowdown from a new compiler is a real finding. A
/// methodology that is empty or contains only a toolchain is the same as any other.
pub fn is_same(one: &str, other: &str) -> bool {
    let says_nothing = |text| words(text).next().is_none();
    one == other || says_nothing(one) || says_nothing(other) || words(one).eq(words(other))
}

/// The methodology without its toolchain.
pub fn without_toolchain(methodology: &str) -> String {
    words(methodology).collect::<Vec<_>>().join(" ")
}

fn words(methodology: &str) -> impl Iterator<Item = &str> {
    methodology
        .split(' ')
        .filter(|word| !word.starts_with(TOOLCHAIN))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn toolchain_is_ignored() {
        assert!(is_same(
            "min of 5 toolchain:1a harness:2b",
            "min of 5 toolchain:3c harness:2b"
        ));
        assert!(is_same("min of 5", "min of 5 toolchain:3c"));
        assert!(is_same("toolchain:3c", "toolchain:4d"));
        assert!(!is_same("min of 5 toolchain:1a", "min of 9 toolchain:1a"));
        assert_eq!(
            without_toolchain("min of 5 toolchain:3c harness:2b"),
            "min of 5 harness:2b"
        );
        assert!(!is_same(
            "toolchain:1a harness:2b",
            "toolchain:1a harness:3c"
        ));
    }

    #[test]
    fn unreported_methodology_equals_any_other() {
        assert!(is_same("toolchain:1a", "min of 5 toolchain:1a"));
        assert!(is_same("min of 5 harness:2b", "toolchain:3c"));
        assert!(!is_same("min of 5 harness:2b", "min of 5 toolchain:3c"));
    }

    #[test]
    fn harness_fingerprint_is_a_separate_word() {
        assert!(are_benchmarked_otherwise(
            "min of 5 harness:1a",
            "harness:2b toolchain:1a"
        ));
        assert!(!are_benchmarked_otherwise(
            "min of 5 harness:1a",
            "min of 9 harness:1a"
        ));
        assert!(!are_benchmarked_otherwise("toolchain:1a", "harness:1a"));
    }

    #[test]
    fn shared_output_reads_back_as_itself() {
        let shared = with_shared_output("pairs in random order", "dist/a b.js");
        assert_eq!(shared_output(&shared), Some("dist/a b.js"));
        assert_eq!(
            shared_output(&format!("{shared} harness:1a")),
            Some("dist/a b.js")
        );
        assert_eq!(shared_output("pairs in random order"), None);
    }

    #[test]
    fn toolchain_fingerprint_is_a_separate_word() {
        assert!(are_built_otherwise(
            "min of 5 toolchain:1a harness:2b",
            "toolchain:3c"
        ));
        assert!(!are_built_otherwise(
            "min of 5 toolchain:1a",
            "min of 9 toolchain:1a"
        ));
        assert!(!are_built_otherwise("min of 5", "min of 5 toolchain:1a"));
        assert!(!are_built_otherwise(
            "crosstoolchain:1a",
            "crosstoolchain:3c"
        ));
        assert!(are_built_otherwise(
            "toolchain:own toolchain:1a",
            "toolchain:own toolchain:3c"
        ));
    }
}
