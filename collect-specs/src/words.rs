//! Splits text into words for comparing values with identities, and formats values.

/// Splits a text into lower-case words of letters and digits. All other characters are separators.
pub fn words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Joins the distinct strings with ` + `, in order of first appearance.
pub fn distinct(texts: impl IntoIterator<Item = String>) -> String {
    let mut seen: Vec<String> = Vec::new();
    for text in texts {
        if !seen.contains(&text) {
            seen.push(text);
        }
    }
    seen.join(" + ")
}

/// Formats a number with one decimal place, but without `.0`.
pub fn decimal(number: f64) -> String {
    let text = format!("{number:.1}");
    text.strip_suffix(".0").unwrap_or(&text).to_owned()
}

/// Formats a cache size, such as `36M` for 36864 KiB.
#[cfg(any(target_os = "linux", target_os = "macos", test))]
pub fn cache_size(kib: u64) -> String {
    if kib >= 1024 && kib.is_multiple_of(1024) {
        format!("{}M", kib / 1024)
    } else {
        format!("{kib}K")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_runs_of_letters_and_digits() {
        assert_eq!(
            words("AMD Ryzen(TM) 9/7950X—Ärger"),
            ["amd", "ryzen", "tm", "9", "7950x", "ärger"]
        );
        assert!(words(" -- ").is_empty());
    }

    #[test]
    fn cache_sizes_are_whole() {
        assert_eq!(
            [32, 1024, 1280, 36864].map(cache_size),
            ["32K", "1M", "1280K", "36M"]
        );
    }

    #[test]
    fn decimals_are_short() {
        assert_eq!(
            [23.54, 64.0, 1.96, 0.5].map(decimal),
            ["23.5", "64", "2", "0.5"]
        );
    }
}
