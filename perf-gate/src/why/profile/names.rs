//! Shortens function names to their familiar form.

/// Removes name parts that differ between builds of the same code: Rust's hash, and suffixes for copies of a function.
pub fn identity(name: &str) -> &str {
    // Callgrind numbers the depth of recursion.
    let name = match name.rsplit_once('\'') {
        Some((function, depth))
            if !depth.is_empty() && depth.bytes().all(|b| b.is_ascii_digit()) =>
        {
            function
        }
        _ => name,
    };
    let mut name = name.split(" [clone").next().unwrap_or(name);
    for part in [".constprop.", ".isra.", ".part.", ".llvm", ".cold"] {
        name = name.split(part).next().unwrap_or(name);
    }
    match name.rsplit_once("::h") {
        Some((function, hash))
            if hash.len() == 16 && hash.bytes().all(|b| b.is_ascii_hexdigit()) =>
        {
            function
        }
        _ => name,
    }
}

/// Removes arguments, template and type parameters, and the package path from a function name.
pub fn short(name: &str) -> String {
    if let Some((name, file)) = without_file(name) {
        return format!("{} ({file})", short(name));
    }
    let name = without_parameters(name);
    // `<Type as Trait>::method`
    let name = match name.strip_prefix('<').and_then(|rest| rest.split_once('>')) {
        Some((receiver, method)) => {
            let receiver = receiver.split(" as ").next().unwrap_or(receiver);
            format!("{receiver}{method}")
        }
        None => name,
    };
    let name = name
        .replace("{{closure}}", "{closure}")
        .replace("(anonymous namespace)::", "");
    // Remove a template's return type, and the path of a Go package.
    let name = name
        .rsplit_once(' ')
        .filter(|(before, _)| !before.contains('('))
        .map_or(&*name, |(_, name)| name);
    let package = if name.contains("::") || name.contains('(') && !name.contains(".(") {
        None
    } else {
        name.rsplit_once('/')
    };
    let name = package.map_or(name, |(_, name)| name);
    let parts: Vec<&str> = name.split("::").collect();
    let closures = parts
        .iter()
        .rev()
        .take_while(|part| part.starts_with('{'))
        .count();
    parts[parts.len().saturating_sub(2 + closures)..].join("::")
}

/// Splits a name such as `next (reader.rs)` into the name and the file, which distinguishes functions with the same name.
fn without_file(name: &str) -> Option<(&str, &str)> {
    let (name, file) = name.strip_suffix(')')?.rsplit_once(" (")?;
    file.contains('.').then_some((name, file))
}

/// The name as written in the definition, such as `next` for `<Reader as Iterator>::next::{{closure}}`.
pub fn last_part(name: &str) -> String {
    let short = short(without_file(name).map_or(name, |(name, _)| name));
    let is_part =
        |part: &&str| !part.is_empty() && !part.starts_with('{') && !part.starts_with("func");
    let part = short.split([':', '.']).rfind(is_part).unwrap_or(&short);
    part.split([' ', '(']).next().unwrap_or(part).to_owned()
}

fn without_parameters(name: &str) -> String {
    let (mut kept, mut depth) = (String::new(), 0_usize);
    let operator = name
        .find("operator")
        .map_or(usize::MAX, |at| at + "operator".len());
    for (at, letter) in name.char_indices() {
        // A leading `<` begins the receiver of a Rust method.
        let is_type = at > 0 && !(operator..operator.saturating_add(2)).contains(&at);
        match letter {
            '<' if is_type => depth += 1,
            '>' if is_type && depth > 0 => depth -= 1,
            _ if depth > 0 => {}
            '(' if name[at..].starts_with("(*") || name[at..].starts_with("(anonymous") => {
                kept.push(letter);
            }
            '(' if !name.starts_with('(')
                && name.ends_with([')', 't'])
                && at > 0
                && !name[..at].ends_with(' ') =>
            {
                // C++ arguments end the name, but Go receivers are also in parentheses.
                if !name[at..].contains(").") {
                    break;
                }
                kept.push(letter);
            }
            _ => kept.push(letter),
        }
    }
    kept.replace("::::", "::")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_names_omit_parameters_and_paths() {
        let names = [
            ("app::reader::Reader::next", "Reader::next"),
            (
                "<app::Reader as core::iter::traits::iterator::Iterator>::next",
                "Reader::next",
            ),
            (
                "<app::Map<K,V> as core::ops::Index<&Q>>::index",
                "Map::index",
            ),
            ("app::parse::{{closure}}", "app::parse::{closure}"),
            (
                "github.com/google/uuid.(*Reader).Next",
                "uuid.(*Reader).Next",
            ),
            (
                "github.com/google/uuid.BenchmarkParse.func1",
                "uuid.BenchmarkParse.func1",
            ),
            (
                "std::vector<int, std::allocator<int> >::push_back(int const&)",
                "vector::push_back",
            ),
            (
                "frozen::bits::pmh_tables<128ul>::lookup(unsigned long) const",
                "pmh_tables::lookup",
            ),
            ("void (anonymous namespace)::run<4>(char const*)", "run"),
            ("main", "main"),
            ("URL.build (_url.py)", "URL.build (_url.py)"),
            ("score (lib.rs)", "score (lib.rs)"),
        ];
        for (name, expected) in names {
            assert_eq!(short(name), expected, "{name}");
        }
    }

    #[test]
    fn last_part_is_name_in_definition() {
        let names = [
            ("<Reader as Iterator>::next::{{closure}}", "next"),
            ("github.com/google/uuid.(*Reader).Next", "Next"),
            ("uuid.BenchmarkParse.func1", "BenchmarkParse"),
            ("URL.build (_url.py)", "build"),
            ("parse", "parse"),
        ];
        for (name, expected) in names {
            assert_eq!(last_part(name), expected, "{name}");
        }
    }

    #[test]
    fn hashes_and_copy_suffixes_are_removed() {
        assert_eq!(identity("a::b::h0123456789abcdef"), "a::b");
        assert_eq!(identity("parse.constprop.0"), "parse");
        assert_eq!(identity("walk'2"), "walk");
        assert_eq!(identity("a::hash"), "a::hash");
    }
}
