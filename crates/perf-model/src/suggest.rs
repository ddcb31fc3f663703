//! "did you mean".

use indexmap::IndexSet;

/// "did you mean": the nearest of `valid` when one is near, else all of them.
pub fn suggest<'a>(name: &str, valid: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let valid: IndexSet<&str> = valid.into_iter().collect();
    let near = |candidate: &&&str| strsim::jaro_winkler(name, candidate) > 0.8;
    let similarity =
        |a: &&&str, b: &&&str| strsim::jaro_winkler(name, a).total_cmp(&strsim::jaro_winkler(name, b));
    match valid.iter().filter(near).max_by(similarity) {
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
