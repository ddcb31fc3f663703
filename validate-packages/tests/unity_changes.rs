//! Changes to a Unity project, each with the rules that the changed file must break.

use crate::support::{MANIFEST, Project, checked};
use validate_comparison_packages::output;

/// A file and its text.
type File = (&'static str, &'static str);

/// File, text, replacement, and the rule of the finding in that file; empty for none. Without a text, the replacement is
/// appended, possibly to a new file.
type Change = (&'static str, &'static str, &'static str, &'static str);

/// The rules of the findings in the changed file, and the whole report as text.
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

/// Checks that every change causes exactly its findings.
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

#[test]
#[expect(clippy::too_many_lines, reason = "one long table")]
fn unity_changes() {
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
