//! Computes changes by function from cachegrind's files.

use std::collections::BTreeMap;
use std::path::Path;

use perf_cli::file;

/// Instruction counts by function name. The names contain no hashes.
pub type Functions = BTreeMap<String, u64>;

/// Reads the functions of all processes in a process run.
///
/// # Errors
/// Fails if the directory or a file cannot be read.
pub fn read(folder: &Path) -> anyhow::Result<Functions> {
    let mut functions = Functions::new();
    for entry in std::fs::read_dir(folder)? {
        add(&file::read_text(&entry?.path())?, &mut functions);
    }
    Ok(functions)
}

/// Adds the counts in a file. `fn=` starts a function, and each line that follows contains the count of a source line.
fn add(text: &str, functions: &mut Functions) {
    let mut current: Option<&mut u64> = None;
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("fn=") {
            current = Some(functions.entry(without_hash(name).to_owned()).or_default());
        } else if line.starts_with(|c: char| c.is_ascii_digit())
            && let Some(sum) = current.as_deref_mut()
        {
            let count = line
                .split_whitespace()
                .nth(1)
                .and_then(|count| count.parse::<u64>().ok());
            *sum = sum.saturating_add(count.unwrap_or_default());
        }
    }
}

/// Removes the hash that the Rust compiler appends, because it changes with every build.
fn without_hash(name: &str) -> &str {
    match name.rsplit_once("::h") {
        Some((function, hash))
            if hash.len() == 16 && hash.bytes().all(|b| b.is_ascii_hexdigit()) =>
        {
            function
        }
        _ => name,
    }
}

/// A function's name, and its counts in the first and the second build.
pub type Changed<'f> = (&'f str, u64, u64);

/// Returns the functions whose counts changed, the largest change first.
pub fn changed<'f>(before: &'f Functions, after: &'f Functions) -> Vec<Changed<'f>> {
    let of = |functions: &Functions, name: &str| functions.get(name).copied().unwrap_or_default();
    let names = before
        .keys()
        .chain(after.keys().filter(|name| !before.contains_key(*name)));
    let both = names.map(|name| (name.as_str(), of(before, name), of(after, name)));
    let mut changed: Vec<Changed<'f>> = both.filter(|(_, before, after)| before != after).collect();
    changed.sort_by_key(|(_, before, after)| std::cmp::Reverse(before.abs_diff(*after)));
    changed
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: &str = "desc: 4-way\nevents: Ir\nfl=a.rs\nfn=app::parse::h0123456789abcdef\n10 100\n11 50\nfn=main\n1 7\nfn=old\n1 9\nsummary: 166\n";
    const AFTER: &str = "events: Ir\nfl=a.rs\nfn=app::parse::hfedcba9876543210\n10 100\n11 20\nfn=main\n1 7\nfl=b.rs\nfn=new\n3 4\nsummary: 131\n";

    #[test]
    fn changed_functions_are_sorted_by_size_and_compared_without_hashes() {
        let [mut before, mut after] = [Functions::new(), Functions::new()];
        add(BEFORE, &mut before);
        add(AFTER, &mut after);
        assert_eq!(
            changed(&before, &after),
            [("app::parse", 150, 120), ("old", 9, 0), ("new", 0, 4)]
        );
    }

    #[test]
    fn only_hashes_are_removed() {
        assert_eq!(without_hash("a::b::h0123456789abcdef"), "a::b");
        for name in ["a::hash", "a::h0123", "a::h0123456789abcdeg", "main"] {
            assert_eq!(without_hash(name), name);
        }
    }
}
