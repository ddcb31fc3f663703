//! Suggestions for misspelt names: "did you mean".

use indexmap::IndexSet;

use crate::diagnostic::named;

/// Returns the candidate that is most similar to `name`, if one is similar enough. Of several equally similar candidates,
/// returns the last.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Comparing two names takes time proportional to both lengths, and a config may contain many long names.
    const LONGEST: usize = 64;
    let is_short = |name: &str| name.len() <= LONGEST;
    let candidates = candidates
        .into_iter()
        .filter(|candidate| is_short(candidate) && is_short(name));
    let near = candidates.map(|candidate| (strsim::jaro_winkler(name, candidate), candidate));
    near.filter(|(likeness, _)| *likeness > 0.8)
        .max_by(|one, other| one.0.total_cmp(&other.0))
        .map(|(_, name)| name)
}

/// Whether a file name is probably a misspelling of `other`: they differ in one letter, in case, in separators or in
/// the extension. Names with different digits are different on purpose.
pub fn is_misspelt(name: &str, other: &str) -> bool {
    const MOST_BYTES: usize = 4; // the longest UTF-8 letter
    const FEWEST: usize = 5; // shorter names that differ in one letter are different names
    let plain = |name: &str| -> String {
        let lower = name.to_lowercase();
        let stem = lower.strip_suffix(".csv").unwrap_or(&lower);
        stem.chars()
            .filter(|letter| letter.is_alphanumeric())
            .collect()
    };
    let digits = |name: &str| -> String { name.chars().filter(char::is_ascii_digit).collect() };
    let (name, other) = (plain(name), plain(other));
    // One letter is different, missing or extra, or two adjacent letters are swapped.
    let is_near = name.len().abs_diff(other.len()) <= MOST_BYTES;
    let is_one_off =
        || is_near && name.chars().count() >= FEWEST && strsim::osa_distance(&name, &other) == 1;
    digits(&name) == digits(&other) && (name == other || is_one_off())
}

/// Returns "did you mean" with the most similar name in `valid` or, if no name is similar, a list of all valid names.
pub fn suggest<'a>(name: &str, valid: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let valid: IndexSet<&str> = valid.into_iter().collect();
    match nearest(name, valid.iter().copied()) {
        Some(nearest) => Some(format!("did you mean `{nearest}`?")),
        None if valid.is_empty() => None,
        None => {
            const SHOWN: usize = 30;
            let names: Vec<String> = valid.iter().map(|name| format!("`{name}`")).collect();
            Some(format!("known names: {}", named(&names, SHOWN)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_get_no_suggestion() {
        let long: Vec<String> = (0..20_000)
            .map(|at| format!("{}{at}", "x".repeat(900)))
            .collect();
        let time = std::time::Instant::now();
        assert_eq!(
            nearest(&long[7][1..], long.iter().map(String::as_str)),
            None
        );
        assert!(
            long.iter()
                .all(|name| !is_misspelt(name, "perf-baseline.csv"))
        );
        assert_eq!(
            long.iter()
                .filter(|name| is_misspelt(name, &long[7].replacen('x', "y", 1)))
                .count(),
            1
        );
        assert!(time.elapsed().as_secs() < 20, "{:?}", time.elapsed());
        assert_eq!(nearest("warn", ["floor", "warm", "war"]), Some("war"));
    }

    #[test]
    fn misspelt_file_name_differs_in_one_letter() {
        for other in [
            "perf-baselin.csv",
            "perf-baselien.csv",
            "perf_baseline.csv",
            "Perf-Baseline.csv",
            "perf-baseline",
        ] {
            assert!(is_misspelt(other, "perf-baseline.csv"), "{other}");
        }
        for other in [
            "baseline.csv",
            "perf-baseline-2.csv",
            "perf-history.csv",
            "perf-baseline.json",
        ] {
            assert!(!is_misspelt(other, "perf-baseline.csv"), "{other}");
        }
        assert!(!is_misspelt("arm.csv", "amd.csv") && !is_misspelt("linux-1.csv", "linux-2.csv"));
    }
}
