//! Findings in Unity projects: lock files, scoped registries, assembly definitions, and scripts that create them.

#![expect(clippy::unwrap_used, reason = "a failed set-up fails the test")]

use crate::support::{MANIFEST, Project, after, checked, fixture};
use validate_comparison_packages::output;

const PROJECT: &str = "Game/Packages/manifest.json";
const LOCK: &str = "Game/Packages/packages-lock.json";
const ASMDEF: &str = "Game/Assets/Comparisons/Brightline.Comparisons.Postbox.asmdef";

/// The clean fixture with some texts in one file replaced.
fn edited(path: &str, edits: &[(&str, &str)]) -> Project {
    let mut project = fixture("clean");
    let text = project.get_mut(path).unwrap();
    for (old, new) in edits {
        assert!(text.contains(old), "`{old}` is not in `{path}`");
        *text = text.replacen(old, new, 1);
    }
    project
}

/// An assembly definition with its constraints and its `versionDefines` (id and symbol).
fn asmdef(constraints: &[&str], defines: &[(&str, &str)]) -> String {
    let defines = defines.iter().map(
        |(name, define)| serde_json::json!({"name": name, "expression": "", "define": define}),
    );
    serde_json::json!({"name": "A", "defineConstraints": constraints, "versionDefines": defines.collect::<Vec<_>>()})
        .to_string()
}

/// The findings with an additional assembly definition. If `named` is true, it is in the consumer's `asmdefs` folder;
/// otherwise, the consumer has no such folder.
fn with_asmdef(named: bool, text: &str) -> String {
    let key = r#", "asmdefs": ["Game/Assets/Comparisons"]"#;
    let mut project = if named {
        fixture("clean")
    } else {
        edited(MANIFEST, &[(key, "")])
    };
    project.insert(
        "Game/Assets/Comparisons/More.asmdef".to_owned(),
        text.to_owned(),
    );
    output::text(&checked(&project))
}

#[test]
fn lock_entries_are_direct_and_from_the_pinned_origin() {
    let url = ",\n      \"url\": \"https://packages.example.org\"\n    },\n    \"com.lantern.signals\": {";
    let drifts = [
        after(
            LOCK,
            "\"2.4.1\",\n      \"depth\": 0",
            "\"2.4.1\",\n      \"depth\": 1",
        ),
        after(
            LOCK,
            "\"2.4.1\",\n      \"depth\": 0,\n      \"source\": \"registry\"",
            "\"2.4.1\",\n      \"depth\": 0,\n      \"source\": \"git\"",
        ),
        after(LOCK, url, "\n    },\n    \"com.lantern.signals\": {"),
        after(
            LOCK,
            "\"url\": \"https://packages.example.org\"",
            "\"url\": null",
        ),
        after(
            LOCK,
            "\"source\": \"builtin\"",
            "\"source\": \"registry\", \"url\": \"https://packages.unity.com\"",
        ),
    ];
    insta::assert_snapshot!(drifts.join("\n\n"), @"
    Game/Packages/packages-lock.json:12:16: `com.brightline.postbox` is locked as a transitive dependency [lock]
      found `1`, expected `0`

    Game/Packages/packages-lock.json:13:17: `com.brightline.postbox` is locked from a different origin [origin]
      found `git`, expected `registry`

    Game/Packages/packages-lock.json:10:5: `com.brightline.postbox` is locked from a different origin [origin]
      expected `https://packages.example.org`

    Game/Packages/packages-lock.json:8:14: `com.brightline.inject` is locked from a different origin [origin]
      found `null`, expected `https://packages.example.org`

    Game/Packages/packages-lock.json:36:17: `com.unity.modules.animation` is locked from a different origin [origin]
      found `registry`, expected `builtin`
    ");
}

#[test]
fn packages_of_unitys_registry_are_locked_from_it() {
    let pin = "\"com.unity.test-framework\": \"1.1.33\"";
    let built_in = "\"unityBuiltInPackages\": {";
    let of_registry = format!("\"unityRegistryPackages\": {{ {pin} }},\n  {built_in}");
    let with = |pins: &str, lock: &[(&str, &str)]| {
        let mut project = edited(LOCK, lock);
        project.insert(
            MANIFEST.to_owned(),
            fixture("clean")[MANIFEST].replacen(built_in, pins, 1),
        );
        output::text(&checked(&project))
    };
    assert_eq!(with(&of_registry, &[]), "");
    let drifts = [
        with(&of_registry.replace("1.1.33", "1.1.34"), &[]),
        with(
            &of_registry,
            &[("https://packages.unity.com", "https://packages.example.org")],
        ),
        with(&format!("{built_in} {pin},"), &[]),
        with(&format!("{of_registry} {pin},"), &[]),
        with(
            &of_registry.replace("com.unity.test-framework", "com.lantern.signals.tests"),
            &[],
        ),
    ];
    insta::assert_snapshot!(drifts.join("\n"), @r#"
    Game/Packages/manifest.json:8:33: the version of `com.unity.test-framework` differs from its pin [version]
      found `1.1.33`, expected `1.1.34`
      hint: write `1.1.34`, or change the pin in `.github/comparison-packages.json`
    Game/Packages/packages-lock.json:40:18: the locked version of `com.unity.test-framework` differs from its pin [lock]
      found `1.1.33`, expected `1.1.34`
      hint: fix `Packages/manifest.json`, then open the project in Unity to resolve its packages

    Game/Packages/packages-lock.json:44:14: `com.unity.test-framework` is locked from a different origin [origin]
      found `https://packages.example.org`, expected `https://packages.unity.com`
      hint: fix `Packages/manifest.json`, then open the project in Unity to resolve its packages

    Game/Packages/packages-lock.json:42:17: `com.unity.test-framework` is locked from a different origin [origin]
      found `registry`, expected `builtin`
      hint: if the editor does not include this package, pin it in `unityRegistryPackages`; otherwise fix `Packages/manifest.json`

    .github/comparison-packages.json:14:30: `com.unity.test-framework` is pinned in `unityBuiltInPackages` and in `unityRegistryPackages` [built-in]
      hint: keep it in one section
    Game/Packages/packages-lock.json:42:17: `com.unity.test-framework` is locked from a different origin [origin]
      found `registry`, expected `builtin`
      hint: if the editor does not include this package, pin it in `unityRegistryPackages`; otherwise fix `Packages/manifest.json`

    .github/comparison-packages.json:14:30: `com.lantern.signals.tests` is not a Unity package [built-in]
      expected `com.unity.…`
      hint: move it to `packages`
    .github/comparison-packages.json:14:30: a scope of the registry covers `com.lantern.signals.tests` [scope]
      found `com.lantern.signals`
      hint: write narrower scopes, or move it to `packages`
    Game/Packages/manifest.json:2:3: `com.lantern.signals.tests` is pinned but not declared [missing]
      expected `1.1.33`
      hint: add `"com.lantern.signals.tests": "1.1.33"` to `Game/Packages/manifest.json`
    Game/Packages/packages-lock.json:1:1: `com.lantern.signals.tests` is pinned but not locked [lock]
      expected `1.1.33`
      hint: fix `Packages/manifest.json`, then open the project in Unity to resolve its packages
    "#);
}

#[test]
fn other_registries_must_not_claim_packages_of_unitys() {
    let pins = r#"{ "unityRegistryPackages": { "com.unity.test-framework": "1.1.33" } }"#;
    let other = r#""scopedRegistries": [
    { "name": "other", "url": "https://packages.example.net", "scopes": ["com.unity.test-framework"] },"#;
    let mut project = edited(PROJECT, &[("\"scopedRegistries\": [", other)]);
    project.insert(MANIFEST.to_owned(), pins.to_owned());
    insta::assert_snapshot!(output::text(&checked(&project)), @"
    Game/Packages/manifest.json:12:74: another registry claims `com.unity.test-framework` [project-registry]
      found `com.unity.test-framework`
      hint: remove the scope: its packages must come from their pinned registry only
    ");
}

#[test]
fn other_registries_must_not_claim_pinned_packages() {
    let registries = "\"scopedRegistries\": [\n";
    let other = |scope: &str| {
        format!(
            "{registries}    {{\"name\": \"o\", \"url\": \"https://other.example.net\", \"scopes\": [\"{scope}\"]}},\n"
        )
    };
    let drifts = [
        "com.brightline",
        "com.brightline.postbox",
        "com.lantern.signals.extras",
    ];
    insta::assert_snapshot!(drifts.map(|scope| after(PROJECT, registries, &other(scope))).join("\n\n"), @"
    Game/Packages/manifest.json:12:66: another registry claims `com.brightline.postbox` [project-registry]
      found `com.brightline`

    Game/Packages/manifest.json:12:66: another registry claims `com.brightline.postbox` [project-registry]
      found `com.brightline.postbox`

    Game/Packages/manifest.json:12:66: another registry claims `com.lantern.signals.extras` [project-registry]
      found `com.lantern.signals.extras`
    ");
    let harmless = ["com.lantern", "com.brightline.other", "com.bright", "com"];
    assert_eq!(
        harmless.map(|scope| after(PROJECT, registries, &other(scope))),
        ["", "", "", ""]
    );
}

#[test]
fn assemblies_without_a_constraint_are_not_gates() {
    let (postbox, lantern) = (
        ("com.brightline.postbox", "POSTBOX_PRESENT"),
        ("com.lantern.signals", "LANTERN_SIGNALS_PRESENT"),
    );
    let optional = asmdef(&["UNITY_INCLUDE_TESTS"], &[postbox, ("com.other", "OTHER")]);
    assert_eq!(with_asmdef(false, &optional), "");
    let gate = asmdef(&["LANTERN_SIGNALS_PRESENT"], &[postbox, lantern]);
    insta::assert_snapshot!([with_asmdef(false, &gate), with_asmdef(true, &optional)].join("\n"), @"
    Game/Assets/Comparisons/More.asmdef:1:89: `POSTBOX_PRESENT` is produced but not required [define-constraint]
      expected `POSTBOX_PRESENT`
      hint: add `POSTBOX_PRESENT` to `defineConstraints`, without `!` and without alternatives

    Game/Assets/Comparisons/More.asmdef:1:85: `POSTBOX_PRESENT` is produced but not required [define-constraint]
      expected `POSTBOX_PRESENT`
      hint: add `POSTBOX_PRESENT` to `defineConstraints`, without `!` and without alternatives
    Game/Assets/Comparisons/More.asmdef:1:193: the assembly gates on `com.other`, which is not pinned [unpinned]
      found `com.other`
      hint: pin it in `.github/comparison-packages.json`, or add it to the consumer's `ignore`
    ");
}

#[test]
fn every_symbol_gates_an_assembly() {
    let drift = |old: &str, new: &str| {
        let mut project = edited(
            MANIFEST,
            &[(r#", "asmdefs": ["Game/Assets/Comparisons"]"#, "")],
        );
        let text = project.get_mut(ASMDEF).unwrap();
        *text = text.replace(old, new);
        output::text(&checked(&project))
    };
    let constraint = ",\n        \"POSTBOX_PRESENT\"\n";
    insta::assert_snapshot!([drift(constraint, "\n"), drift("POSTBOX_PRESENT", "OTHER")].join("\n"), @"
    .github/comparison-packages.json:19:5: no assembly definition requires `POSTBOX_PRESENT` [define-constraint]
      hint: add `POSTBOX_PRESENT` to `defineConstraints` of the assembly that uses it

    Game/Assets/Comparisons/Brightline.Comparisons.Postbox.asmdef:18:23: `com.brightline.postbox` does not produce its own symbol [version-define]
      found `OTHER`, expected `POSTBOX_PRESENT`
      hint: write `POSTBOX_PRESENT`
    ");
}

#[test]
fn forks_may_also_produce_a_symbol() {
    let (own, fork) = (
        ("com.brightline.postbox", "POSTBOX_PRESENT"),
        ("org.fork.postbox", "POSTBOX_PRESENT"),
    );
    let newer = ("com.brightline.postbox", "POSTBOX_2_OR_NEWER");
    let text = |defines: &[(&str, &str)]| with_asmdef(true, &asmdef(&["POSTBOX_PRESENT"], defines));
    assert_eq!([text(&[fork, own]), text(&[own, newer])], ["", ""]);
    insta::assert_snapshot!([text(&[fork]), text(&[newer])].join("\n"), @"
    Game/Assets/Comparisons/More.asmdef:1:122: `POSTBOX_PRESENT` is produced by a package that does not own it [version-define]
      found `org.fork.postbox`, expected `com.brightline.postbox`
      hint: set it to `com.brightline.postbox`, or use another symbol

    Game/Assets/Comparisons/More.asmdef:1:81: `com.brightline.postbox` does not produce its own symbol [version-define]
      found `POSTBOX_2_OR_NEWER`, expected `POSTBOX_PRESENT`
      hint: write `POSTBOX_PRESENT`
    ");
}

#[test]
fn gates_name_pinned_packages_once() {
    let own = ("com.brightline.postbox", "POSTBOX_PRESENT");
    let text = |other: (&str, &str)| {
        with_asmdef(true, &asmdef(&["POSTBOX_PRESENT", "OTHER"], &[own, other]))
    };
    let not_strings = r#"{"versionDefines": [{"name": 1, "define": "A"}, {"define": "A"}, {"name": "a", "define": null}]}"#;
    let drifts = [
        text(("com.other", "OTHER")),
        text(own),
        with_asmdef(false, not_strings),
    ];
    insta::assert_snapshot!(drifts.join("\n"), @r#"
    Game/Assets/Comparisons/More.asmdef:1:197: the assembly gates on `com.other`, which is not pinned [unpinned]
      found `com.other`
      hint: pin it in `.github/comparison-packages.json`, or add it to the consumer's `ignore`

    Game/Assets/Comparisons/More.asmdef:1:207: duplicate entry of `com.brightline.postbox` for `POSTBOX_PRESENT` [version-define]
      found `com.brightline.postbox`
      hint: keep one entry

    Game/Assets/Comparisons/More.asmdef:1:21: `name` and `define` of a `versionDefines` entry must be strings [version-define]
      found `{"name": 1, "define": "A"}`
      hint: write the ID of a package, and the symbol that it defines
    Game/Assets/Comparisons/More.asmdef:1:49: `name` and `define` of a `versionDefines` entry must be strings [version-define]
      found `{"define": "A"}`
      hint: write the ID of a package, and the symbol that it defines
    Game/Assets/Comparisons/More.asmdef:1:66: `name` and `define` of a `versionDefines` entry must be strings [version-define]
      found `{"name": "a", "define": null}`
      hint: write the ID of a package, and the symbol that it defines
    "#);
    let built_in = [
        ("Unity", "OTHER"),
        ("com.unity.ugui", "OTHER"),
        ("com.brightline.inject", "OTHER"),
    ];
    assert_eq!(built_in.map(text), ["", "", ""]);
    let ignored = "\"path\": \"Game\", \"ignore\": [\"com.oth*\"]";
    let mut project = edited(MANIFEST, &[("\"path\": \"Game\"", ignored)]);
    let more = asmdef(&["POSTBOX_PRESENT"], &[own, ("com.other", "OTHER")]);
    project.insert("Game/Assets/Comparisons/More.asmdef".to_owned(), more);
    assert_eq!(output::text(&checked(&project)), "");
}

#[test]
fn packages_may_have_several_symbols() {
    let old = "\"com.brightline.postbox\": \"POSTBOX_PRESENT\"";
    let several = "\"com.brightline.postbox\": [\"POSTBOX_PRESENT\", \"POSTBOX_2\"]";
    let mut project = edited(MANIFEST, &[(old, several)]);
    let drift = output::text(&checked(&project));
    let entry =
        "\"versionDefines\": [{\"name\": \"com.brightline.postbox\", \"define\": \"POSTBOX_2\"},";
    project.insert(
        ASMDEF.to_owned(),
        project[ASMDEF].replace("\"versionDefines\": [", entry),
    );
    assert_eq!(output::text(&checked(&project)), "");
    let invalid = [
        "[]",
        "[\"A\", \"A\"]",
        "[\"POSTBOX_PRESENT\", \"LANTERN_SIGNALS_PRESENT\"]",
    ];
    let invalid = invalid.map(|list| {
        after(
            MANIFEST,
            old,
            &format!("\"com.brightline.postbox\": {list}"),
        )
    });
    insta::assert_snapshot!(format!("{drift}\n{}", invalid.join("\n\n")), @r#"
    .github/comparison-packages.json:19:5: no assembly definition produces `POSTBOX_2` [version-define]
      hint: add `{"name": "com.brightline.postbox", "expression": "", "define": "POSTBOX_2"}` to `versionDefines` of the assembly that uses it

    .github/comparison-packages.json:19:5: `com.brightline.postbox` has no symbol in `defines` [define]

    .github/comparison-packages.json:19:5: `com.brightline.postbox` and `com.brightline.postbox` share a symbol [define]
      found `A`
    Game/Assets/Comparisons/Brightline.Comparisons.Postbox.asmdef:18:23: `com.brightline.postbox` does not produce its own symbol [version-define]
      found `POSTBOX_PRESENT`, expected `A`

    .github/comparison-packages.json:20:5: `com.lantern.signals` and `com.brightline.postbox` share a symbol [define]
      found `LANTERN_SIGNALS_PRESENT`
    Game/Assets/Comparisons/Brightline.Comparisons.Lantern.asmdef:16:21: `LANTERN_SIGNALS_PRESENT` is produced by a package that does not own it [version-define]
      found `com.lantern.signals`, expected `com.brightline.postbox`
    "#);
}

#[test]
fn listed_script_reads_the_manifest_in_its_code() {
    let consumer = r#""consumers": [ { "kind": "script", "path": "make.ps1" },"#;
    let text = |script: Option<&str>| {
        let mut project = edited(MANIFEST, &[("\"consumers\": [", consumer)]);
        project.extend(script.map(|script| ("make.ps1".to_owned(), script.to_owned())));
        output::text(&checked(&project))
    };
    let reads = "$m = Get-Content '.github/comparison-packages.json' | ConvertFrom-Json # pins\n";
    assert_eq!(text(Some(reads)), "");
    let commented = "<# reads comparison-packages.json\n#>\n  # comparison-packages.json\n";
    insta::assert_snapshot!([text(Some(commented)), text(None)].join("\n"), @"
    make.ps1:1:1: the script sets up packages, but does not read the manifest [reference]
      expected `comparison-packages.json`
      hint: generate the project's manifest with `perf-gate packages generate`, read `.github/comparison-packages.json`, or add `make.ps1` to its `ignore`

    .github/comparison-packages.json:40:38: consumer not found [consumer]
      found `make.ps1`
      hint: correct the path, or remove the consumer
    ");
    let unused = after(
        MANIFEST,
        "\"consumers\": [",
        &consumer.replace(" }", ", \"ignore\": [\"x\"] }"),
    );
    assert!(
        unused.contains("`ignore` has no effect for this kind"),
        "{unused}"
    );
}

#[test]
fn unlisted_project_with_a_compared_package_is_checked() {
    let manifest = r#"{"dependencies": {"com.brightline.postbox": "2.3.0"}}"#;
    let path = "Other/Packages/manifest.json";
    let mut project = fixture("clean");
    project.insert(path.to_owned(), manifest.to_owned());
    let found = output::text(&checked(&project));
    let version = "Other/Packages/manifest.json:1:45: the version of `com.brightline.postbox`";
    assert!(found.contains(version), "{found}");
    let ignored = project[MANIFEST].replacen('{', r#"{"ignore": ["Other/*"],"#, 1);
    project.insert(MANIFEST.to_owned(), ignored);
    assert_eq!(output::text(&checked(&project)), "");
    project = fixture("clean");
    project.insert(path.to_owned(), manifest.replace("brightline", "other"));
    assert_eq!(output::text(&checked(&project)), "");
}

#[test]
fn labels_are_not_empty() {
    insta::assert_snapshot!(after(MANIFEST, "\"Lantern\"", "\" \""), @".github/comparison-packages.json:38:5: the label of `com.lantern.signals` is empty [label]");
}
