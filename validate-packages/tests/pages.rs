//! Pages with tables of versions, and files that no consumer lists.

#![expect(clippy::unwrap_used, reason = "the set-up of a test may stop it")]

mod support;

use support::{MANIFEST, Project, checked, fixture, on_disk, run};
use validate_comparison_packages::output;

const PAGE: &str = "# Compared\n\n| Scenario | Time |\n| --- | --- |\n| x | 1.0 |\n\n\
    | **Library** | Notes | Pinned version |\n| --- | :-: | ---: |\n\
    | [mitt](https://example.org) | é \\| ü | `3.0.1` |\n| `pyee` | | ==12.0.0 |\n| Chi | | 5.0.1 |\n\n\
    ```\n| Library | Version |\n|---|---|\n| mitt | 1.0.0 |\n```\n\n| Package | Ver |\n|---|---|\n| mitt | 2 |\n";

const PINS: &str = r#"{"ecosystems": {"npm": {"mitt": "3.0.1"}, "python": {"pyee": "12.0.0"},
    "go": {"github.com/go-chi/chi/v5": "v5.0.1"}}, "consumers": [
    {"kind": "npm", "path": "package.json", "lock": false}, {"kind": "python", "path": "requirements.txt"},
    {"kind": "go", "path": "go.mod", "lock": false}, {"kind": "markdown", "path": "docs/page.md"}]}"#;

fn project() -> Project {
    let files = [
        (MANIFEST, PINS),
        ("package.json", r#"{"dependencies": {"mitt": "3.0.1"}}"#),
        ("requirements.txt", "pyee==12.0.0\n"),
        (
            "go.mod",
            "module m\nrequire github.com/go-chi/chi/v5 v5.0.1\n",
        ),
        ("docs/page.md", PAGE),
    ];
    files
        .map(|(path, text)| (path.to_owned(), text.to_owned()))
        .into()
}

fn after(path: &str, old: &str, new: &str) -> String {
    let mut project = project();
    let text = project.entry(path.to_owned()).or_default();
    assert!(text.contains(old), "`{old}` is not in `{path}`");
    *text = text.replacen(old, new, 1);
    output::text(&checked(&project))
}

#[test]
fn versions_in_tables_agree_with_the_pins() {
    assert_eq!(output::text(&checked(&project())), "");
    let page = "docs/page.md";
    let drifts = [
        after(page, "`3.0.1`", "`3.0.0`"),
        after(page, "==12.0.0", "latest"),
        after(page, "| Chi | | 5.0.1 |\n", ""),
        after(page, "| Chi |", "| Nanoevents | | 9.0.0 |\n| Chi |"),
        after(page, "Pinned version", "Remark"),
    ];
    insta::assert_snapshot!(drifts.join("\n"), @r#"
    docs/page.md:9:43: the version of `mitt` differs from its pin [version]
      found `3.0.0`, expected `3.0.1`
      hint: write `3.0.1`, or change the pin in `.github/comparison-packages.json`

    docs/page.md:10:14: the version of `pyee` differs from its pin [version]
      found `latest`, expected `12.0.0`
      hint: write `12.0.0`, or change the pin in `.github/comparison-packages.json`

    docs/page.md:1:1: `github.com/go-chi/chi/v5` is pinned but not in the table [missing]
      expected `v5.0.1`
      hint: add a row, or name the packages of this page in the consumer's `packages`

    docs/page.md:11:18: `Nanoevents` is in the table but not pinned [unpinned]
      found `9.0.0`
      hint: pin it in `.github/comparison-packages.json`, or add it to the consumer's `ignore`

    docs/page.md:1:1: the page has no table of packages and versions [consumer]
      hint: give one column the title `Package`, another `Version`
    "#);
    let typo = after(
        MANIFEST,
        r#""docs/page.md""#,
        r#""docs/page.md", "packages": ["mit"]"#,
    );
    assert!(
        typo.contains("`mit` is not pinned for `markdown` [consumer]"),
        "{typo}"
    );
    let ignored = [
        after(
            MANIFEST,
            r#""docs/page.md""#,
            r#""docs/page.md", "packages": ["mitt", "pyee", "github.com/go-chi/chi/v5"]"#,
        ),
        after(
            page,
            "| Pinned version |\n| --- | :-: | ---: |",
            "| Version\n--- | :-: | ---:",
        ),
    ];
    assert_eq!(ignored, ["", ""]);
}

#[test]
fn fix_writes_the_version_into_the_cell() {
    let mut project = project();
    let page = project.get_mut("docs/page.md").unwrap();
    *page = page.replace("`3.0.1`", "`3.0.0`");
    let dir = on_disk(&project);
    assert_eq!(run(dir.path(), &["--fix", "-q"]).code, 0);
    assert_eq!(
        std::fs::read_to_string(dir.path().join("docs/page.md")).unwrap(),
        PAGE
    );
}

#[test]
fn same_name_in_two_ecosystems_has_two_versions() {
    let cargo = r#"{"ecosystems": {"cargo": {"mitt": "0.2.0"}, "#;
    let consumers = r#""consumers": [{"kind": "cargo", "path": "Cargo.toml", "lock": false}, "#;
    let mut project = project();
    let manifest = PINS
        .replace(r#"{"ecosystems": {"#, cargo)
        .replace(r#""consumers": ["#, consumers);
    project.insert(MANIFEST.to_owned(), manifest);
    project.insert(
        "Cargo.toml".to_owned(),
        "[dependencies]\nmitt = '=0.2.0'\n".to_owned(),
    );
    assert_eq!(output::text(&checked(&project)), "");
    *project.get_mut("docs/page.md").unwrap() = PAGE.replace("`3.0.1`", "`0.1.0`");
    assert!(output::text(&checked(&project)).contains("expected `0.2.0, 3.0.1`"));
}

#[test]
fn files_that_nobody_lists_are_warnings() {
    let other = r#"{"devDependencies": {"mitt": "2.0.0"}}"#;
    let dir = on_disk(&{
        let mut project = project();
        for path in [
            "old/package.json",
            "old/node_modules/x/package.json",
            "vendor/x/package.json",
            "ignored/package.json",
        ] {
            project.insert(path.to_owned(), other.to_owned());
        }
        project.insert(
            "site/package.json".to_owned(),
            r#"{"dependencies": {"react": "^19"}}"#.to_owned(),
        );
        project.insert("broken/package.json".to_owned(), "{".to_owned());
        project.insert(
            "old/go.mod".to_owned(),
            "module o\nrequire github.com/go-chi/chi/v5 v5.0.0\n".to_owned(),
        );
        project.insert(
            MANIFEST.to_owned(),
            PINS.replacen('{', r#"{"ignore": ["ignored/*"], "#, 1),
        );
        project
    });
    let text = run(dir.path(), &[]);
    assert_eq!(
        (text.code, text.err.as_str()),
        (0, "note: 5 files checked, 0 findings, 2 warnings\n")
    );
    insta::assert_snapshot!(text.out, @r#"
    old/go.mod:2:34: warning: `github.com/go-chi/chi/v5` is declared in a file that no consumer lists [unlisted]
      found `v5.0.0`
      hint: add `{"kind": "go", "path": "old/go.mod"}` to `consumers` of `.github/comparison-packages.json`, or `old/go.mod` to its `ignore`
    old/package.json:1:30: warning: `mitt` is declared in a file that no consumer lists [unlisted]
      found `2.0.0`
      hint: add `{"kind": "npm", "path": "old/package.json"}` to `consumers` of `.github/comparison-packages.json`, or `old/package.json` to its `ignore`
    "#);
    let github = run(dir.path(), &["--format", "github", "-q"]).out;
    assert!(
        github.starts_with("::warning file=old/go.mod,line=2,col=34,title=unlisted::"),
        "{github}"
    );
    let json = run(dir.path(), &["--format", "json", "-q"]).out;
    assert_eq!(json.matches(r#""severity": "warning""#).count(), 2);
}

#[test]
fn file_that_takes_a_version_has_no_warning_of_its_own() {
    let mut project = fixture("clean");
    let files = [
        (
            "Cargo.toml",
            "[workspace]\nmembers = ['a', 'bench/rust']\n[workspace.dependencies]\nflume = '=0.11.1'\n",
        ),
        (
            "net/A.csproj",
            "<Project><ItemGroup><PackageReference Include=\"MediatR\" /></ItemGroup></Project>",
        ),
        (
            "net/Directory.Packages.props",
            "<Project><ItemGroup><PackageVersion Include=\"MediatR\" Version=\"12.0.0\" /></ItemGroup></Project>",
        ),
        // A file above a consumer is opened for its settings.
        (
            "package.json",
            "{\"devDependencies\": {\"mitt\": \"2.0.0\"}}",
        ),
        (
            "a/Cargo.toml",
            "[package]\nname = 'a'\n[dependencies]\nflume.workspace = true\n",
        ),
        (
            "bench/dotnet2/Other.csproj",
            "<Project><ItemGroup><PackageReference Include=\"MediatR\" /></ItemGroup></Project>",
        ),
    ];
    project.extend(files.map(|(path, text)| (path.to_owned(), text.to_owned())));
    let text = output::text(&checked(&project));
    assert_eq!(text.matches("warning").count(), 4, "{text}");
    assert!(
        text.contains("\nbench/dotnet2/Other.csproj:1:")
            && text.contains("\npackage.json:1:")
            && text.contains("\nnet/Directory.Packages.props:1:")
            && text.starts_with("Cargo.toml:4:"),
        "{text}"
    );
}
