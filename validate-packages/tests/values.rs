//! Versions in files of any package manager: found by keys or a pattern, compared, and fixed.

#![expect(clippy::unwrap_used, reason = "the set-up of a test may stop it")]

use crate::support::{MANIFEST, Project, checked};
use validate_comparison_packages::{finding, output};

/// The findings about one file with one consumer, and the file after `--fix`.
fn value(file: &str, text: &str, consumer: &str) -> (String, String) {
    let manifest = format!(
        r#"{{"ecosystems": {{"any": {{"foo": "1.2.3"}}}}, "consumers": [{{"file": "{file}", "package": "foo", {consumer}}}]}}"#
    );
    let mut project = Project::from([
        (MANIFEST.to_owned(), manifest),
        (file.to_owned(), text.to_owned()),
    ]);
    let report = checked(&project);
    for (path, edits) in report.edits() {
        let fixed = finding::apply(&project[path], &edits);
        project.insert(path.to_owned(), fixed);
    }
    let lines = output::text(&report);
    let found: Vec<&str> = lines
        .lines()
        .filter(|line| !line.starts_with("  "))
        .collect();
    let fixed = project.remove(file).unwrap();
    assert!(
        report.findings.is_empty() || fixed == text || {
            project.insert(file.to_owned(), fixed.clone());
            checked(&project).findings.is_empty()
        }
    );
    (found.join("\n"), fixed)
}

#[test]
fn value_at_keys_is_compared_and_fixed_in_place() {
    let differs = "the version of `foo` differs from its pin [version]";
    let range = "`foo` has no exact version [range]";
    for (file, text, key, expected, fixed) in [
        (
            "Cargo.toml",
            "[dependencies]\nfoo = \"=1.2.2\" # é\n",
            "dependencies.foo",
            format!("Cargo.toml:2:8: {differs}"),
            "[dependencies]\nfoo = \"=1.2.3\" # é\n",
        ),
        (
            "Cargo.toml",
            "[dependencies.foo]\nversion = '^1.2.2'\n",
            "dependencies.foo.version",
            format!("Cargo.toml:2:12: {range}"),
            "[dependencies.foo]\nversion = '1.2.3'\n",
        ),
        (
            "package.json",
            r#"{"dependencies": {"foo": "latest"}}"#,
            "dependencies.foo",
            format!("package.json:1:27: {range}"),
            r#"{"dependencies": {"foo": "1.2.3"}}"#,
        ),
        (
            "a.json",
            r#"{"a": [{"v": 1}]}"#,
            "a.0.v",
            format!("a.json:1:14: {differs}"),
            r#"{"a": [{"v": "1.2.3"}]}"#,
        ),
        (
            "a.json",
            r#"{"x.y": {"p": {"v": "1.2.2"}, "q": {"v": "1.2.3"}}}"#,
            "'x.y'.*.v",
            format!("a.json:1:22: {differs}"),
            r#"{"x.y": {"p": {"v": "1.2.3"}, "q": {"v": "1.2.3"}}}"#,
        ),
        (
            "a.yaml",
            "# é\nfoo:\n  - version: 1.2.2 # x\n",
            "foo.0.version",
            format!("a.yaml:3:14: {differs}"),
            "# é\nfoo:\n  - version: 1.2.3 # x\n",
        ),
        (
            "a.yaml",
            "foo: &v 1.2.2\n",
            "foo",
            format!("a.yaml:1:6: {range}"),
            "foo: &v 1.2.2\n",
        ),
        (
            "a.yml",
            "foo: \"1.2.2\"\n",
            "foo",
            format!("a.yml:1:7: {differs}"),
            "foo: \"1.2.3\"\n",
        ),
        (
            "a.toml",
            "foo = { git = 'x' }\n",
            "foo",
            format!("a.toml:1:7: {range}"),
            "foo = { git = 'x' }\n",
        ),
        (
            "a.toml",
            "bar = 1\n",
            "foo",
            "a.toml:1:1: `foo` matches nothing, so `foo` has no version [missing]".to_owned(),
            "bar = 1\n",
        ),
        (
            "a.toml",
            "foo = '==1.2.3'\n",
            "foo",
            String::new(),
            "foo = '==1.2.3'\n",
        ),
    ] {
        let found = value(file, text, &format!(r#""key": "{key}""#));
        assert_eq!(found, (expected, fixed.to_owned()), "{file}: {key}");
    }
}

#[test]
fn value_of_a_pattern_is_compared_and_fixed_in_place() {
    let differs = "the version of `foo` differs from its pin [version]";
    for (text, pattern, expected, fixed) in [
        (
            "bar==1\nfoo==1.2.2 # x\n",
            "^foo==([0-9.]+)",
            format!("a.txt:2:6: {differs}"),
            "bar==1\nfoo==1.2.3 # x\n",
        ),
        (
            "foo 1\r\nfoo 1.2.3\r\n",
            "^foo (.+)$",
            format!("a.txt:1:5: {differs}"),
            "foo 1.2.3\r\nfoo 1.2.3\r\n",
        ),
        (
            "foo==1.2.2 x\n",
            "^foo([^ ]+)",
            format!("a.txt:1:4: {differs}"),
            "foo==1.2.3 x\n",
        ),
        (
            "foo~=1.2 x\n",
            "^foo([^ ]+)",
            "a.txt:1:4: `foo` has no exact version [range]".to_owned(),
            "foo~=1.2 x\n",
        ),
        (
            "foo>=1\n",
            "foo==([0-9.]+)",
            "a.txt:1:1: `foo==([0-9.]+)` matches nothing, so `foo` has no version [missing]"
                .to_owned(),
            "foo>=1\n",
        ),
        (
            "foo==1\n",
            "foo==([0-9])",
            format!("a.txt:1:6: {differs}"),
            "foo==1\n",
        ),
        (
            "a\n",
            "(b*)",
            "a.txt:1:1: `(b*)` matches nothing, so `foo` has no version [missing]".to_owned(),
            "a\n",
        ),
    ] {
        let found = value("a.txt", text, &format!(r#""pattern": "{pattern}""#));
        assert_eq!(found, (expected, fixed.to_owned()), "{pattern}");
    }
}

#[test]
fn lock_files_are_left_to_their_tools() {
    for (file, text) in [
        ("Cargo.lock", "foo = '1.2.2'\n"),
        ("package-lock.json", "{\"foo\": \"1.2.2\"}"),
        ("pnpm-lock.yaml", "foo: 1.2.2\n"),
    ] {
        let (found, fixed) = value(file, text, r#""key": "foo""#);
        assert!(found.ends_with("differs from its pin [version]"), "{found}");
        assert_eq!(fixed, text);
    }
    let (_, fixed) = value("clock.toml", "foo = '1.2.2'\n", r#""key": "foo""#);
    assert_eq!(fixed, "foo = '1.2.3'\n");
}

#[test]
fn glob_needs_one_file_with_the_version() {
    let project = |files: &[(&str, &str)]| {
        let manifest = r#"{"ecosystems": {"npm": {"@a/foo": "1.2.3"}}, "consumers": [{"file": "*/**/package.json", "key": "dependencies.@a/foo"}]}"#;
        let own = [(MANIFEST, manifest)];
        let files = files.iter().chain(&own);
        let project = files
            .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
            .collect();
        let report = checked(&project);
        report
            .findings
            .iter()
            .map(|finding| format!("{}: {}", finding.file, finding.message))
            .collect::<Vec<_>>()
            .join("\n")
    };
    let (with, without) = (r#"{"dependencies": {"@a/foo": "1.2.3"}}"#, "{}");
    assert_eq!(
        project(&[
            ("a/package.json", with),
            ("b/c/package.json", without),
            ("package.json", "x")
        ]),
        ""
    );
    let other = with.replace("1.2.3", "1.2.4");
    assert_eq!(
        project(&[("a/package.json", with), ("b/c/package.json", &other)]),
        "b/c/package.json: the version of `@a/foo` differs from its pin"
    );
    assert_eq!(
        project(&[("b/c/package.json", without)]),
        format!("{MANIFEST}: `dependencies.@a/foo` matches nothing, so `@a/foo` has no version")
    );
    assert_eq!(project(&[]), format!("{MANIFEST}: consumer not found"));
    assert_eq!(
        project(&[
            ("node_modules/x/package.json", &other),
            ("a/package.json", with)
        ]),
        ""
    );
}

#[test]
fn dropped_kind_is_an_error_that_names_the_kinds() {
    let manifest = r#"{"ecosystems": {"npm": {"a": "1.2.3"}}, "consumers": [{"kind": "npm", "path": "package.json"}]}"#;
    let project = Project::from([(MANIFEST.to_owned(), manifest.to_owned())]);
    insta::assert_snapshot!(output::text(&checked(&project)), @".github/comparison-packages.json:1:68: unknown variant `npm`, expected `unity` or `script`; for any other file, write `file` with `key` or `pattern` [broken]");
}
