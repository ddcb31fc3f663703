//! The text that identifiers share.

/// A longer identifier would widen a table.
pub(crate) const LONG: usize = 28;

/// The text that all identifiers begin with, up to a separator: where one is long, a title has it instead of every row.
/// Empty if it would save little.
pub fn shared_prefix<'n>(names: &[&'n str]) -> &'n str {
    const SHORTEST: usize = 12;
    let Some((first, others)) = names.split_first() else { return "" };
    let shared = |name: &&str| first.char_indices().zip(name.chars()).find(|((_, a), b)| a != b);
    let ends = others
        .iter()
        .filter(|name| *name != first)
        .map(|name| shared(name).map_or(first.len().min(name.len()), |((at, _), _)| at));
    let end = first[..ends.min().unwrap_or(0)].rfind(['/', ':', '.']).map_or(0, |at| at + 1);
    let is_long = names.iter().any(|name| name.chars().count() > LONG);
    if is_long && first[..end].chars().count() >= SHORTEST { &first[..end] } else { "" }
}
