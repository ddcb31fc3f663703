//! The origin of a package is part of its pin: a project for each package manager, and every way in which its files
//! can take the pinned version, or another, from elsewhere. What does not concern a pin has no finding.

#![expect(clippy::unwrap_used, reason = "a failed set-up fails the test")]

mod npm;
mod python;
#[path = "../support/mod.rs"]
mod support;

use support::{MANIFEST, Project, checked};
use validate_comparison_packages::output;

/// A file and its text.
type File = (&'static str, &'static str);

/// File, text, replacement, and the rules of the findings in that file. Without a text, the replacement is appended,
/// perhaps to a new file.
type Change = (&'static str, &'static str, &'static str, &'static str);

/// The findings of the changed file, by rule, and everything as text.
fn after(files: &[File], (path, old, new, _): Change) -> (Vec<String>, String) {
    let mut project: Project = files
        .iter()
        .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
        .collect();
    let text = project.entry(path.to_owned()).or_default();
    assert!(text.contains(old), "`{old}` is not in {path}");
    *text = if old.is_empty() {
        format!("{text}{new}")
    } else {
        text.replacen(old, new, 1)
    };
    let report = checked(&project);
    assert!(
        report.broken.is_empty(),
        "{path} with `{new}`\n{}",
        output::text(&report)
    );
    let mut rules: Vec<String> = report
        .findings
        .iter()
        .filter(|finding| finding.file == path)
        .map(|finding| finding.rule.to_string())
        .collect();
    rules.dedup();
    (rules, output::text(&report))
}

/// Every change has the findings of its rule, or none at all.
fn check(files: &[File], changes: &[Change]) {
    let (_, clean) = after(files, (MANIFEST, "", "", ""));
    assert_eq!(clean, "");
    let mut wrong = Vec::new();
    for &change in changes {
        let (path, _, new, expected) = change;
        let (rules, text) = after(files, change);
        let is_right = if expected.is_empty() {
            text.is_empty()
        } else {
            rules == [expected]
        };
        if !is_right {
            wrong.push(format!(
                "{path} with `{new}`: expected `{expected}`\n{text}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
const CRATE: &str = "bench/Cargo.toml";

const CARGO: &[Change] = &[
    (
        "Cargo.toml",
        "",
        "[patch.crates-io]\nflume = { path = 'flume' }\n",
        "origin",
    ),
    (
        "Cargo.toml",
        "",
        "[patch.crates-io]\nf = { package = 'flume', git = 'https://example.net/f' }\n",
        "origin",
    ),
    (
        "Cargo.toml",
        "",
        "[patch.'https://github.com/rust-lang/crates.io-index']\nflume = { git = 'https://example.net/f' }\n",
        "origin",
    ),
    (
        "Cargo.toml",
        "",
        "[patch.own]\nflume = { path = 'flume' }\n",
        "origin",
    ),
    (
        "Cargo.toml",
        "",
        "[replace]\n'flume:0.11.1' = { git = 'https://example.net/f' }\n",
        "origin",
    ),
    (
        "Cargo.toml",
        "",
        "[replace]\n'https://github.com/rust-lang/crates.io-index#flume@0.11.1' = { path = 'f' }\n",
        "origin",
    ),
    (
        CRATE,
        "'=0.11.1'",
        "{ version = '=0.11.1', registry = 'own' }",
        "origin",
    ),
    (
        CRATE,
        "'=0.11.1'",
        "{ version = '=0.11.1', registry = 'unknown' }",
        "origin",
    ),
    (
        CRATE,
        "'=0.11.1'",
        "{ version = '=0.11.1', registry-index = 'https://r.example.net' }",
        "origin",
    ),
    (
        CRATE,
        "'=0.11.1'",
        "{ version = '=0.11.1', git = 'https://example.net/f' }",
        "origin",
    ),
    (
        CRATE,
        "'=0.11.1'",
        "{ version = '=0.11.1', path = '../f' }",
        "origin",
    ),
    (
        CRATE,
        "'=0.11.1'",
        "{ version = '=0.11.1', package = 'other' }",
        "origin",
    ),
    (
        ".cargo/config.toml",
        "",
        "[source.crates-io]\nreplace-with = 'a'\n[source.a]\nreplace-with = 'b'\n[source.b]\nregistry = 'https://r.example.net'\n",
        "origin",
    ),
    (
        ".cargo/config.toml",
        "",
        "[source.crates-io]\nreplace-with = 'own'\n",
        "origin",
    ),
    (
        ".cargo/config.toml",
        "",
        "[source.crates-io]\nreplace-with = 'v'\n[source.v]\ndirectory = 'vendor'\n",
        "origin",
    ),
    (
        ".cargo/config.toml",
        "",
        "[patch.crates-io]\nflume = { path = 'flume' }\n",
        "origin",
    ),
    (
        "bench/.cargo/config.toml",
        "",
        "[source.crates-io]\nreplace-with = 'own'\n",
        "origin",
    ),
    (
        ".cargo/config.toml",
        "[reg",
        "paths = ['libs/flume']\n[reg",
        "origin",
    ),
    (
        "Cargo.lock",
        "registry+https://github.com/rust-lang/crates.io-index",
        "git+https://example.net/f#1",
        "origin",
    ),
    (
        "Cargo.lock",
        "github.com/rust-lang/crates.io-index",
        "r.example.net/index",
        "origin",
    ),
    ("Cargo.lock", "source = ", "checksum = ", "origin"),
    // Nothing of these concerns the pin.
    (
        CRATE,
        "'=0.11.1'",
        "{ version = '=0.11.1', registry = 'crates-io' }",
        "",
    ),
    (
        CRATE,
        "'=0.11.1'",
        "{ version = '=0.11.1', registry = 'mirror' }",
        "",
    ),
    (
        "Cargo.toml",
        "",
        "[patch.crates-io]\nother = { path = 'other' }\n",
        "",
    ),
    (
        "Cargo.toml",
        "",
        "[patch.'https://example.net/f']\nflume = { path = 'flume' }\n",
        "",
    ),
    (
        ".cargo/config.toml",
        "",
        "[source.crates-io]\nreplace-with = 'mirror'\n[alias]\nx = 'run'\n",
        "",
    ),
    (
        "Cargo.lock",
        "",
        "[[package]]\nname = 'flume'\nversion = '0.10.0'\nsource = 'git+https://example.net/f#1'\n",
        "",
    ),
    (
        MANIFEST,
        "\"consumers\"",
        "\"registries\": {\"cargo\": [\"https://github.com/rust-lang/crates.io-index\"]}, \"consumers\"",
        "",
    ),
];

#[test]
fn cargo() {
    let files = [
        (
            MANIFEST,
            r#"{"ecosystems": {"cargo": {"flume": "0.11.1"}},
            "consumers": [{"kind": "cargo", "path": "bench/Cargo.toml", "ignore": ["*"]}]}"#,
        ),
        ("Cargo.toml", "[workspace]\nmembers = ['bench']\n"),
        (
            "bench/Cargo.toml",
            "[package]\nname = 'b'\n[dependencies]\nflume = '=0.11.1'\n",
        ),
        (
            "Cargo.lock",
            "[[package]]\nname = 'flume'\nversion = '0.11.1'\nsource = 'registry+https://github.com/rust-lang/crates.io-index'\n",
        ),
        (
            ".cargo/config.toml",
            "[registries.mirror]\nindex = 'sparse+https://index.crates.io/'\n[registries.own]\nindex = 'https://r.example.net'\n",
        ),
    ];
    check(&files, CARGO);
}

#[test]
fn go() {
    let files = [
        (
            MANIFEST,
            r#"{"ecosystems": {"go": {"example.org/bus": "v1.2.0"}},
            "consumers": [{"kind": "go", "path": "bench/go.mod"}]}"#,
        ),
        (
            "bench/go.mod",
            "module m\n\nrequire (\n\texample.org/bus v1.2.0\n\texample.org/own v1.0.0\n)\n\nreplace example.org/own => ../\n",
        ),
        ("bench/go.sum", "example.org/bus v1.2.0 h1:x=\n"),
    ];
    let go = "bench/go.mod";
    check(
        &files,
        &[
            (go, "", "replace example.org/bus => ../bus\n", "origin"),
            (
                go,
                "",
                "replace example.org/bus v1.2.0 => example.net/bus v1.2.0\n",
                "origin",
            ),
            (
                go,
                "",
                "replace (\n\texample.org/bus => example.org/bus v1.1.0\n)\n",
                "version",
            ),
            (go, "", "replace example.org/bus => /tmp/bus\n", "origin"),
            (
                "go.work",
                "",
                "go 1.22\nuse ./bench\nreplace example.org/bus => ./bus\n",
                "origin",
            ),
            (go, "", "replace example.org/bus v1.1.0 => ../bus\n", ""),
            (
                go,
                "",
                "replace example.org/bus => example.org/bus v1.2.0\n",
                "",
            ),
            (
                go,
                "bus v1.2.0\n",
                "bus v1.3.0\n\tx.org/i v1.0.0 // indirect\n)\nreplace (\nexample.org/bus => example.org/bus v1.2.0\n",
                "",
            ),
            ("go.work", "", "go 1.22\nuse ./bench\n", ""),
        ],
    );
}

#[test]
fn nuget() {
    let files = [
        (
            MANIFEST,
            r#"{"ecosystems": {"nuget": {"MediatR": "12.4.1"}},
            "consumers": [{"kind": "nuget", "path": "net/Bench.csproj"}]}"#,
        ),
        (
            "net/Bench.csproj",
            "<Project><PropertyGroup><Feed>https://r.example.net/v3/index.json</Feed></PropertyGroup><ItemGroup><PackageReference Include=\"MediatR\" Version=\"12.4.1\" /></ItemGroup></Project>",
        ),
        (
            "NuGet.Config",
            "<configuration><packageSources><clear /><add key=\"nuget.org\" value=\"https://api.nuget.org/v3/index.json\" /></packageSources></configuration>",
        ),
    ];
    let own = "<add key=\"own\" value=\"https://r.example.net/v3/index.json\" />";
    let config =
        |text: &str| -> &'static str { format!("<configuration>{text}</configuration>").leak() };
    let mapped = |own: &str| -> &'static str {
        let own_feed = "<add key=\"Own\" value=\"https://r.example.net/v3/index.json\" />";
        format!("{own_feed}</packageSources><packageSourceMapping><packageSource key=\"nuget.org\"><package pattern=\"*\" /></packageSource><packageSource key=\"own\"><package pattern=\"{own}\" /></packageSource></packageSourceMapping>").leak()
    };
    let (end, project) = ("</packageSources>", "net/Bench.csproj");
    check(
        &files,
        &[
            ("NuGet.Config", "<clear />", own.to_owned().leak(), "origin"),
            (
                "NuGet.Config",
                "https://api.nuget.org/v3/index.json",
                "https://r.example.net/v3/index.json",
                "origin",
            ),
            (
                "NuGet.Config",
                "https://api.nuget.org/v3/index.json",
                "packages",
                "origin",
            ),
            ("NuGet.Config", end, mapped("MediatR"), "origin"),
            ("NuGet.Config", end, mapped("media*"), "origin"),
            ("NuGet.Config", end, mapped("*"), "origin"),
            (
                "NuGet.Config",
                end,
                "</packageSources><fallbackPackageFolders><add key=\"f\" value=\"x\" /></fallbackPackageFolders>",
                "origin",
            ),
            (
                "net/nuget.config",
                "",
                config(&format!("<packageSources>{own}</packageSources>")),
                "origin",
            ),
            (
                project,
                "<Feed>",
                "<RestoreSources>$(RestoreSources);$(Feed)</RestoreSources><Feed>",
                "origin",
            ),
            (
                project,
                "<Feed>",
                "<RestoreAdditionalProjectSources>../local</RestoreAdditionalProjectSources><Feed>",
                "origin",
            ),
            (
                "Directory.Build.targets",
                "",
                "<Project><ItemGroup><PackageReference Update=\"MediatR\" Version=\"12.0.0\" /></ItemGroup></Project>",
                "version",
            ),
            ("NuGet.Config", end, mapped("Contoso.*"), ""),
            (
                "NuGet.Config",
                "<clear />",
                "<add key=\"Own\" value=\"https://r.example.net/v3/index.json\" /></packageSources><disabledPackageSources><add key=\"own\" value=\"true\" /></disabledPackageSources><packageSources>",
                "",
            ),
        ],
    );
    let cleared = config(&format!("<packageSources>{own}</packageSources>"));
    let above: Vec<File> = [
        ("net/nuget.config", files[2].1),
        ("NuGet.Config", cleared),
        files[0],
        files[1],
    ]
    .into();
    check(&above, &[]);
}

#[test]
fn unity() {
    let files = [
        (
            MANIFEST,
            r#"{"registry": {"name": "r", "url": "https://packages.example.org", "scopes": ["com.a"]},
            "packages": {"com.a.bus": "1.0.0"}, "defines": {"com.a.bus": "BUS_PRESENT"},
            "minUnityForComparisons": "2021.3.0f1",
            "consumers": [{"kind": "unity", "path": "Game", "lock": false}]}"#,
        ),
        (
            "Game/Packages/manifest.json",
            r#"{"dependencies": {"com.a.bus": "1.0.0"},
            "scopedRegistries": [{"name": "r", "url": "https://packages.example.org", "scopes": ["com.a"]}]}"#,
        ),
        (
            "Game/ProjectSettings/ProjectVersion.txt",
            "m_EditorVersion: 2021.3.0f1\nm_EditorVersionWithRevision: 2021.3.0f1 (1)\n",
        ),
        (
            "Game/Assets/A.asmdef",
            r#"{"name": "A", "references": ["Own", "MessageBus"], "defineConstraints": ["BUS_PRESENT"],
            "versionDefines": [{"name": "com.a.bus", "expression": "", "define": "BUS_PRESENT"}]}"#,
        ),
    ];
    let (asmdef, version) = (
        "Game/Assets/A.asmdef",
        "Game/ProjectSettings/ProjectVersion.txt",
    );
    check(
        &files,
        &[
            (asmdef, ", \"MessageBus\"", "", "reference"),
            (asmdef, "MessageBus", "MessagePipe", "reference"),
            (version, "2021.3.0f1\nm", "2020.3.48f1\nm", "min-unity"),
            (version, "2021.3.0f1\nm", "2021.3.0b12\nm", "min-unity"),
            (
                version,
                "m_EditorVersion: 2021.3.0f1",
                "m_EditorVersion: later",
                "min-unity",
            ),
            (
                "Game/Packages/bus/package.json",
                "",
                r#"{"name": "com.a.bus", "version": "1.0.0"}"#,
                "origin",
            ),
            (asmdef, "MessageBus", "GUID:0123", ""),
            (asmdef, "\"Own\", ", "", ""),
            (version, "2021.3.0f1\nm", "6000.0.1f1\nm", ""),
            (
                "Game/Packages/x/samples/package.json",
                "",
                r#"{"name": "com.a.bus", "version": "1.0.0"}"#,
                "",
            ),
            (
                "Game/Packages/other/package.json",
                "",
                r#"{"name": "com.a2.other", "version": "1.0.0"}"#,
                "",
            ),
            (
                MANIFEST,
                "\"minUnity",
                r#""assemblies": {"com.a.bus": ["A.Bus", "MessageBus"]}, "minUnity"#,
                "",
            ),
        ],
    );
    let named: Vec<File> = files
        .into_iter()
        .map(|(path, text)| match path {
            MANIFEST => (
                path,
                &*text
                    .replace(
                        "\"minUnity",
                        r#""assemblies": {"com.a.bus": "MessageBus"}, "minUnity"#,
                    )
                    .leak(),
            ),
            _ => (path, text),
        })
        .collect();
    check(
        &named,
        &[
            (asmdef, "MessageBus", "MessageBus.Tests", "reference"),
            (asmdef, "MessageBus", "GUID:0123", "reference"),
            (
                MANIFEST,
                "\"com.a.bus\": \"MessageBus\"",
                "\"com.a.bus\": []",
                "define",
            ),
            (
                MANIFEST,
                "\"com.a.bus\": \"MessageBus\"",
                "\"com.a.bus\": \"MessageBus\", \"com.a.x\": \"X\"",
                "define",
            ),
        ],
    );
}
