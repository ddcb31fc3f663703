//! The methodology of numbers, as one text: what the config says of it, and fingerprints of files, with spaces between.

/// The beginning of the fingerprint of the benchmark's files.
pub const HARNESS: &str = "harness:";

/// The beginning of the fingerprint of the files that choose the toolchain.
pub const TOOLCHAIN: &str = "toolchain:";

/// The words for pairs whose order was drawn at random.
pub const RANDOM_ORDER: &str = "pairs in random order";

/// The words for pairs whose sides were each built once.
pub const ONE_BUILD: &str = "one build a side";

/// The words for pairs whose base ran the benchmark of the current side.
pub const HARNESS_OF_CURRENT: &str = "both sides with the current benchmark";

/// The words for a benchmark measured by the processor time of launches with different numbers of iterations.
pub const CPU_OF_ITERATIONS: &str = "processor time of a fixed number of iterations";

/// The words around the file of the current side's build that a base ran.
const SHARED: [&str; 2] = [", with `", "` of the current side"];

/// The methodology of a base that ran this file of the current side's build.
pub fn with_shared_output(methodology: &str, file: &str) -> String {
    format!("{methodology}{}{file}{}", SHARED[0], SHARED[1])
}

/// The file of the current side's build that the base ran, where its methodology names one.
pub fn shared_output(methodology: &str) -> Option<&str> {
    methodology
        .split_once(SHARED[0])?
        .1
        .split_once(SHARED[1])
        .map(|(file, _)| file)
}

/// True if both name a toolchain, and not the same.
pub fn are_built_otherwise(one: &str, other: &str) -> bool {
    words_differ(one, other, TOOLCHAIN)
}

/// True if both name the files of the benchmark, and not the same.
pub fn are_benchmarked_otherwise(one: &str, other: &str) -> bool {
    words_differ(one, other, HARNESS)
}

/// True if nothing but the files of the benchmark differs.
pub fn is_other_benchmark(one: &str, other: &str) -> bool {
    let rest = |text| {
        words(text)
            .filter(|word| !word.starts_with(HARNESS))
            .collect::<Vec<_>>()
    };
    are_benchmarked_otherwise(one, other) && rest(one) == rest(other)
}

/// True if both have words that begin so, and not the same.
fn words_differ(one: &str, other: &str, prefix: &str) -> bool {
    let words = |text| {
        str::split(text, ' ')
            .filter(|word| word.starts_with(prefix))
            .collect()
    };
    let [one, other]: [Vec<&str>; 2] = [words(one), words(other)];
    !one.is_empty() && !other.is_empty() && one != other
}

/// True if two methodologies are one, whatever builds what is measured: a slower compiler is a finding. What says nothing
/// but that is the same as any.
pub fn is_same(one: &str, other: &str) -> bool {
    let says_nothing = |text| words(text).next().is_none();
    one == other || says_nothing(one) || says_nothing(other) || words(one).eq(words(other))
}

/// The method alone.
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
    fn a_toolchain_is_no_part_of_the_method() {
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
    fn a_method_that_is_not_reported_is_any() {
        assert!(is_same("toolchain:1a", "min of 5 toolchain:1a"));
        assert!(is_same("min of 5 harness:2b", "toolchain:3c"));
        assert!(!is_same("min of 5 harness:2b", "min of 5 toolchain:3c"));
    }

    #[test]
    fn a_harness_is_a_word_of_its_own() {
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
    fn shared_output_is_read_as_it_was_written() {
        let shared = with_shared_output("pairs in random order", "dist/a b.js");
        assert_eq!(shared_output(&shared), Some("dist/a b.js"));
        assert_eq!(
            shared_output(&format!("{shared} harness:1a")),
            Some("dist/a b.js")
        );
        assert_eq!(shared_output("pairs in random order"), None);
    }

    #[test]
    fn a_toolchain_is_a_word_of_its_own() {
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
