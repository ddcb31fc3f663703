//! The findings that a change causes, for projects in memory.

use crate::support::{MANIFEST, Project, after, checked, fixture};
use proptest::prelude::*;
use validate_comparison_packages::{finding, output};

fn alone(manifest: &str) -> String {
    let project = Project::from([(MANIFEST.to_owned(), manifest.to_owned())]);
    output::text(&checked(&project))
}

#[test]
fn manifest_rules() {
    let manifest = r#"{
  "registry": {"name": " ", "url": "http://packages.example.org", "scopes": ["com.bright", ".lantern"]},
  "packages": {"com.brightline.postbox": "^2.4.1", "com.unity.ugui": "1.0.0", "com.bright": "1.0.0"},
  "unityBuiltInPackages": {"com.unity.ugui": "1.0", "com.unitypost.x": "1.0.0"},
  "defines": {"com.brightline.postbox": "A", "com.bright": "A", "com.nobody": "1-B"},
  "integrationPackages": {"com.bright": "1.0.1", "com.bright": "1.0.2"},
  "minUnityForComparisons": "recent",
  "ecosystems": {"go": {"m": "^1.2.3", "n": "1.2.3"}},
  "labels": {"x": "X"},
  "consumers": [
    {"file": "../Cargo.toml", "key": "n", "package": "n"},
    {"file": "package.json", "package": "mitt", "asmdefs": []},
    {"kind": "unity", "key": "m"},
    {"kind": "unity", "path": "../Game"}
  ]
}"#;
    insta::assert_snapshot!(alone(manifest), @r#"
    .github/comparison-packages.json:2:16: the registry's name is empty [registry]
      hint: write the Unity project's name for it
    .github/comparison-packages.json:2:29: the registry's URL is not `https` [registry]
      hint: write a URL that starts with `https://`
    .github/comparison-packages.json:3:16: the pin of `com.brightline.postbox` is not an exact version [exact]
      found `^2.4.1`
      hint: write one full version, such as `1.2.3`
    .github/comparison-packages.json:3:16: no scope of the registry covers `com.brightline.postbox` [scope]
      found `com.bright, .lantern`, expected `com.brightline`
      hint: add `com.brightline` to `registry.scopes`
    .github/comparison-packages.json:3:52: no scope of the registry covers `com.unity.ugui` [scope]
      found `com.bright, .lantern`, expected `com.unity`
      hint: add `com.unity` to `registry.scopes`
    .github/comparison-packages.json:3:52: `com.unity.ugui` has no symbol in `defines` [define]
      hint: add `"com.unity.ugui": "…_PRESENT"` to `defines`
    .github/comparison-packages.json:4:28: the pin of `com.unity.ugui` is not an exact version [exact]
      found `1.0`
      hint: write one full version, such as `1.2.3`
    .github/comparison-packages.json:4:28: `com.unity.ugui` is pinned in `packages` and in `unityBuiltInPackages` [built-in]
      hint: keep it in one section
    .github/comparison-packages.json:4:53: `com.unitypost.x` is not a Unity package [built-in]
      expected `com.unity.…`
      hint: move it to `packages`
    .github/comparison-packages.json:5:46: `com.bright` and `com.brightline.postbox` share a symbol [define]
      found `A`
      hint: use each symbol once
    .github/comparison-packages.json:5:65: `com.nobody` has a symbol but is not pinned [define]
      hint: add it to `packages`, or remove its symbols
    .github/comparison-packages.json:5:65: the symbol of `com.nobody` is not a C# identifier [define]
      found `1-B`
      hint: use letters, digits and `_`
    .github/comparison-packages.json:6:50: duplicate key `com.bright` [duplicate-key]
      found `com.bright`
      hint: keep one: parsers use the last
    .github/comparison-packages.json:6:50: `com.bright` is pinned at two versions [version]
      found `1.0.2`, expected `1.0.0`
      hint: use the same version in both sections
    .github/comparison-packages.json:7:3: invalid Unity version [min-unity]
      found `recent`
      hint: write it as the editor shows it, such as `2021.3.0f1`
    .github/comparison-packages.json:8:25: the pin of `m` is not an exact version [exact]
      found `^1.2.3`
      hint: write one full version, such as `1.2.3`
    .github/comparison-packages.json:8:25: no consumer uses `m` [consumer]
      hint: add `{"file": "…", "key": "…", "package": "m"}` to `consumers`, or remove the pin
    .github/comparison-packages.json:9:14: `x` has a label but is not pinned [unknown-key]
      hint: use a pinned ID, or remove the label
    .github/comparison-packages.json:10:3: a folder of `asmdefs` contains no assembly definitions, or is outside the project [consumer]
      found `.`
      hint: list the folders whose code uses the packages
    .github/comparison-packages.json:11:6: the consumer's path is outside the project [consumer]
      found `../Cargo.toml`
      hint: write it from the project root, with `/`
    .github/comparison-packages.json:12:5: `mitt` is not pinned [consumer]
      hint: write `file`, `key` or `pattern`, and the `package` of a pin
    .github/comparison-packages.json:12:49: `asmdefs` has no effect for this kind of consumer [consumer]
      hint: remove `asmdefs`
    .github/comparison-packages.json:13:5: the consumer has no `path` [consumer]
      hint: write `kind` and `path`, or `file` with `key` or `pattern`
    .github/comparison-packages.json:13:23: `key` has no effect for this kind of consumer [consumer]
      hint: remove `key`
    .github/comparison-packages.json:14:23: the consumer's path is outside the project [consumer]
      found `../Game`
      hint: write it from the project root, with `/`
    "#);
}

#[test]
fn unknown_keys_are_findings() {
    let manifests = [
        r#"{"registri": {}}"#,
        "{\n  \"consumers\": [\n    {\"kind\": \"unity\", \"paths\": \"é\"}]}",
        r#"{"registry": {"name": "r", "url": "https://r", "scope": []}}"#,
    ];
    insta::assert_snapshot!(manifests.map(alone).concat(), @"
    .github/comparison-packages.json:1:11: unknown field `registri`, expected one of `$schema`, `_comment`, `registry`, `packages`, `unityBuiltInPackages`, `unityRegistryPackages`, `defines`, `integrationPackages`, `integrationUnityBuiltInPackages`, `assemblies`, `minUnityForComparisons`, `ecosystems`, `labels`, `consumers`, `ignore` [unknown-key]
      hint: correct or remove the key
    .github/comparison-packages.json:3:29: unknown field `paths`, expected one of `kind`, `path`, `file`, `key`, `pattern`, `package`, `asmdefs`, `packages`, `ignore`, `lock` [unknown-key]
      hint: correct or remove the key
    .github/comparison-packages.json:1:54: unknown field `scope`, expected one of `name`, `url`, `scopes` [unknown-key]
      hint: correct or remove the key
    ");
}

#[test]
fn manifest_without_pins_is_an_error() {
    for manifest in [
        "{}",
        r#"{"packages": {}, "ecosystems": {"npm": {}}, "consumers": []}"#,
    ] {
        insta::allow_duplicates! {
            insta::assert_snapshot!(alone(manifest), @"
            .github/comparison-packages.json:1:1: the manifest pins nothing, so nothing is compared [no-pins]
              hint: add the compared libraries to `packages` or `ecosystems`
            ");
        }
    }
    assert!(
        alone(r#"{"ecosystems": {"cargo": {"flume": "0.11.1"}}}"#)
            .contains("no consumer uses `flume`")
    );
}

#[test]
fn unity_projects_are_discovered_without_consumers() {
    let mut project = fixture("drifted");
    let manifest = project.get_mut(MANIFEST).unwrap();
    let named =
        r#"    { "kind": "unity", "path": "Game", "asmdefs": ["Game/Assets/Comparisons"] },"#;
    assert!(manifest.contains(named));
    *manifest = manifest.replace(named, "");
    let files = |project: &Project| -> Vec<String> {
        checked(project)
            .findings
            .into_iter()
            .filter(|finding| finding.file.starts_with("Game"))
            .map(|finding| finding.message)
            .collect()
    };
    assert_eq!(files(&project), files(&fixture("drifted")));
    project.retain(|path, _| !path.starts_with("Game"));
    assert!(output::text(&checked(&project)).contains("no consumer uses `com.brightline.postbox`"));
}

#[test]
fn gates_produce_and_require_symbols() {
    let path = "Game/Assets/Comparisons/Brightline.Comparisons.Postbox.asmdef";
    let drifts = [
        after(path, "        \"POSTBOX_PRESENT\"\n", "        \"OTHER\"\n"),
        after(
            path,
            "        \"POSTBOX_PRESENT\"\n",
            "        \"!POSTBOX_PRESENT\"\n",
        ),
        after(
            path,
            "\"define\": \"POSTBOX_PRESENT\"",
            "\"define\": \"LANTERN_EXTRAS_PRESENT\"",
        ),
        after(
            path,
            "\"name\": \"com.brightline.postbox\"",
            "\"name\": \"com.brightline.mailbox\"",
        ),
        after(path, "\"expression\": \"\"", "\"expression\": \"3.0\""),
        after(path, "\"expression\": \"\"", "\"expression\": \">=2\""),
        after(
            path,
            "\"UNITY_INCLUDE_TESTS\"",
            "\"UNITY_INCLUDE_TESTS\", \"LANTERN_EXTRAS_PRESENT\"",
        ),
    ];
    insta::assert_snapshot!(drifts.join("\n\n"), @"
    Game/Assets/Comparisons/Brightline.Comparisons.Postbox.asmdef:18:23: `POSTBOX_PRESENT` is produced but not required [define-constraint]
      expected `POSTBOX_PRESENT`

    Game/Assets/Comparisons/Brightline.Comparisons.Postbox.asmdef:18:23: `POSTBOX_PRESENT` is produced but not required [define-constraint]
      expected `POSTBOX_PRESENT`

    Game/Assets/Comparisons/Brightline.Comparisons.Postbox.asmdef:18:23: `com.brightline.postbox` does not produce its own symbol [version-define]
      found `LANTERN_EXTRAS_PRESENT`, expected `POSTBOX_PRESENT`

    Game/Assets/Comparisons/Brightline.Comparisons.Postbox.asmdef:16:21: `POSTBOX_PRESENT` is produced by a package that does not own it [version-define]
      found `com.brightline.mailbox`, expected `com.brightline.postbox`

    Game/Assets/Comparisons/Brightline.Comparisons.Postbox.asmdef:17:27: the expression excludes the pinned `com.brightline.postbox`: its code is never compiled [version-define]
      found `3.0`, expected `2.4.1`

    Game/Assets/Comparisons/Brightline.Comparisons.Postbox.asmdef:17:27: invalid version expression [version-define]
      found `>=2`, expected `2.4.1`

    Game/Assets/Comparisons/Brightline.Comparisons.Postbox.asmdef:11:32: `LANTERN_EXTRAS_PRESENT` is required but not produced [define-constraint]
      found `LANTERN_EXTRAS_PRESENT`, expected `com.lantern.signals.extras`
    ");
    assert_eq!(
        after(
            path,
            "\"expression\": \"\"",
            "\"expression\": \"[2.4,3.0)\""
        ),
        ""
    );
}

#[test]
fn pin_without_a_consumer_is_an_error() {
    let manifest = r#"{"ecosystems": {"npm": {"mitt": "3.0.1", "nanoevents": "9.0.0"}},
        "consumers": [{"file": "package.json", "key": "dependencies.mitt"}]}"#;
    let package = r#"{"dependencies": {"mitt": "3.0.1"}}"#;
    let project = [(MANIFEST, manifest), ("package.json", package)];
    let project = project
        .map(|(path, text)| (path.to_owned(), text.to_owned()))
        .into();
    insta::assert_snapshot!(output::text(&checked(&project)), @r#"
    .github/comparison-packages.json:1:42: no consumer uses `nanoevents` [consumer]
      hint: add `{"file": "…", "key": "…", "package": "nanoevents"}` to `consumers`, or remove the pin
    "#);
}

#[test]
fn assemblies_and_scripts_are_checked() {
    let manifest = r#"{"packages": {"com.a.b": "1.0.0"}, "assemblies": {"com.a.b": "B"},
        "consumers": [{"kind": "script", "path": "a.sh"}, {"kind": "script", "path": "../a.sh"}]}"#;
    let found = alone(manifest);
    let rules = ["[define]", "[consumer]"].map(|rule| found.matches(rule).count());
    assert_eq!(rules, [2, 3], "{found}");
}

/// The clean fixture, with files in every other format.
fn every_format() -> Project {
    let files = [
        (
            "helm/Chart.yaml",
            "dependencies:\n  - {name: é, version: 3.0.1}\n",
        ),
        (
            "page.md",
            "| Package | Version |\n|---|---|\n| [mitt](x) | `3.0.1` |\n",
        ),
    ];
    let mut project = fixture("clean");
    project.extend(files.map(|(path, text)| (path.to_owned(), text.to_owned())));
    let values = r#"{ "file": "page.md", "pattern": "mitt.*`([0-9.]+)`" },
        { "file": "helm/*.yaml", "key": "dependencies.*.version", "package": "mitt" },
        { "file": "bench/go/go.mod""#;
    let manifest = project[MANIFEST].replacen(r#"{ "file": "bench/go/go.mod""#, values, 1);
    project.insert(MANIFEST.to_owned(), manifest);
    project
}

fn mutated() -> impl Strategy<Value = Project> {
    let paths: Vec<String> = every_format().into_keys().collect();
    let junk = prop_oneof![
        r#"[\[\]{}"',:=<>!()$#/\\ \r\n]{0,6}"#,
        ".{0,6}",
        r"\^?[0-9]{1,2}(\.[0-9]{1,2}){0,2}"
    ];
    (
        prop::sample::select(paths),
        any::<prop::sample::Index>(),
        0_usize..12,
        junk,
    )
        .prop_map(|(path, at, length, junk)| {
            let mut project = every_format();
            let chars: Vec<char> = project[&path].chars().collect();
            let at = at.index(chars.len());
            let rest = &chars[(at + length).min(chars.len())..];
            project.insert(
                path,
                chars[..at]
                    .iter()
                    .chain(&junk.chars().collect::<Vec<_>>())
                    .chain(rest)
                    .collect(),
            );
            project
        })
}

proptest! {
    #[test]
    fn never_panics_and_fix_converges(project in mutated()) {
        let mut project = project;
        let report = checked(&project);
        let _ = (output::text(&report), output::github(&report), output::json(&report).unwrap());
        for finding in &report.findings {
            prop_assert!(finding.position.line > 0 && finding.position.column > 0 && !finding.hint.is_empty());
        }
        for (path, edits) in report.edits() {
            let fixed = finding::apply(&project[path], &edits);
            project.insert(path.to_owned(), fixed);
        }
        let again = checked(&project);
        prop_assert!(again.broken.len() <= report.broken.len(), "{:?}", again.broken);
        prop_assert!(again.edits().is_empty(), "{:?}", again.edits());
    }
}
