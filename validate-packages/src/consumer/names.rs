//! Ids of libraries in the form in which their ecosystem compares them.

use crate::consumer::Kind;

/// True if an id matches an entry of `ignore`.
pub(super) fn matches(kind: Kind, pattern: &str, id: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(prefix) => normal(kind, id).starts_with(&normal(kind, prefix)),
        None => normal(kind, pattern) == normal(kind, id),
    }
}

/// An id in the form in which it is compared.
pub(crate) fn normal(kind: Kind, id: &str) -> String {
    match kind {
        Kind::Python => {
            let parts = id.split(['-', '_', '.']).filter(|part| !part.is_empty());
            parts.collect::<Vec<_>>().join("-").to_lowercase()
        }
        Kind::Nuget => id.to_lowercase(),
        Kind::Unity | Kind::Cargo | Kind::Npm | Kind::Go | Kind::Markdown | Kind::Script => {
            id.to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_normalised_per_ecosystem() {
        assert!(
            matches(Kind::Python, "Ruamel.yaml", "ruamel_yaml")
                && matches(Kind::Nuget, "NewtonSoft.Json", "newtonsoft.json")
        );
        assert!(!matches(Kind::Cargo, "a-b", "a_b") && !matches(Kind::Npm, "Mitt", "mitt"));
    }

    #[test]
    fn trailing_star_matches_any_suffix() {
        assert!(matches(Kind::Npm, "@types/*", "@types/node") && matches(Kind::Npm, "tap", "tap"));
        assert!(!matches(Kind::Npm, "tap", "tape") && matches(Kind::Npm, "*", "x"));
    }
}
