//! "did you mean".

use indexmap::IndexSet;

/// The candidate most like `name`, when one is near; the last of several that are as near.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let near = candidates.into_iter().map(|candidate| (strsim::jaro_winkler(name, candidate), candidate));
    near.filter(|(likeness, _)| *likeness > 0.8)
        .max_by(|one, other| one.0.total_cmp(&other.0))
        .map(|(_, name)| name)
}

/// "did you mean": the nearest of `valid` when one is near, else all of them.
pub fn suggest<'a>(name: &str, valid: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let valid: IndexSet<&str> = valid.into_iter().collect();
    match nearest(name, valid.iter().copied()) {
        Some(nearest) => Some(format!("did you mean `{nearest}`?")),
        None if valid.is_empty() => None,
        None => Some(format!("known here: {}", list(&valid))),
    }
}

fn list(names: &IndexSet<&str>) -> String {
    const SHOWN: usize = 16;
    let shown: Vec<String> = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    let more = if names.len() > SHOWN { format!(" and {} more", names.len() - SHOWN) } else { String::new() };
    shown.join(", ") + &more
}
