//! Lines that Cargo prints between the outputs of benchmarks.

/// Returns the binary's name from a line such as
/// `Running benches/parse.rs (target/release/deps/parse-8b173c29ce041afa)`.
pub(crate) fn binary(line: &str) -> Option<&str> {
    let running = line.trim_start().strip_prefix("Running ")?;
    let at = running.rfind("deps/").or_else(|| running.rfind("deps\\"))?;
    let file = running[at + 5..].split([')', '`', ' ']).next()?;
    let (name, hash) = file.strip_suffix(".exe").unwrap_or(file).rsplit_once('-')?;
    let is_hash = !hash.is_empty() && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    (is_hash && !name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binary_name_has_no_hash() {
        for (line, name) in [
            (
                "     Running benches/parse.rs (target/release/deps/parse-8b173c29ce041afa)",
                Some("parse"),
            ),
            (
                "Running target/release/deps/test_regular_bench-8b173c29ce041afa",
                Some("test_regular_bench"),
            ),
            (
                r"     Running unittests src\lib.rs (target\release\deps\my_lib-0ac1.exe)",
                Some("my_lib"),
            ),
            ("     Running `/home/deps/tool-12ab --bench`", Some("tool")),
            ("     Running 3 tests", None),
            ("running 5 tests", None),
        ] {
            assert_eq!(binary(line), name, "{line}");
        }
    }
}
