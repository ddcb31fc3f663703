//! The program as users and workflows run it.

use std::fs;

use crate::support::{MANIFEST, Output, Project, fixture, on_disk, run};

fn project(manifest: &str, files: &[(&str, &str)]) -> Project {
    let files = files.iter().copied().chain([(MANIFEST, manifest)]);
    files
        .map(|(path, text)| (path.to_owned(), text.to_owned()))
        .collect()
}

#[test]
fn clean_project_has_no_output() {
    let dir = on_disk(&fixture("clean"));
    let Output { code, out, err } = run(dir.path(), &[]);
    assert_eq!(
        (code, out.as_str(), err.as_str()),
        (0, "", "note: 20 files checked, 0 findings\n")
    );
    let other = run(
        &std::env::temp_dir(),
        &["-q", "--root", dir.path().to_str().unwrap()],
    );
    assert_eq!(
        (other.code, other.out, other.err),
        (0, String::new(), String::new())
    );
}

#[test]
fn manifest_of_a_temporary_project_is_generated_from_the_pins() {
    let dir = on_disk(&fixture("clean"));
    let mine = "com.example.mine=file:../..";
    let line = [
        "generate",
        "--with",
        mine,
        "--testable",
        "com.example.mine",
        "--output",
    ];
    let written = run(
        dir.path(),
        &[&line[..], &["Game/Packages/manifest.json"]].concat(),
    );
    assert_eq!(
        (written.code, written.out.as_str()),
        (0, ""),
        "{}",
        written.err
    );
    let text = fs::read_to_string(dir.path().join("Game/Packages/manifest.json")).unwrap();
    for part in [
        r#""com.example.mine": "file:../..""#,
        r#""com.brightline.postbox": "2.4.1""#,
        r#""com.unity.ugui": "1.0.0""#,
        r#""scopedRegistries": ["#,
        r#""testables": ["#,
    ] {
        assert!(text.contains(part), "`{part}` is not in {text}");
    }
    let checked = run(dir.path(), &[]);
    let about = checked
        .out
        .lines()
        .filter(|line| line.contains("Game/Packages/manifest.json"))
        .count();
    assert_eq!(about, 0, "{}", checked.out);
    let twice = run(
        dir.path(),
        &["generate", "--with", "com.brightline.postbox=1.0.0"],
    );
    assert_eq!((twice.code, twice.out.as_str()), (2, ""));
    assert!(
        twice
            .err
            .contains("`com.brightline.postbox` is pinned by the manifest"),
        "{}",
        twice.err
    );
}

#[test]
fn generator_script_is_checked_without_being_listed() {
    let mut files = fixture("clean");
    let script = |text: &str| text.replace("ID", "com.brightline.postbox");
    files.insert(
        "tools/make.ps1".to_owned(),
        script("$deps = @{ 'ID' = '2.3.0' }\n"),
    );
    files.insert(
        "tools/read.ps1".to_owned(),
        script("Get-Content comparison-packages.json # ID\n'ID'\n"),
    );
    files.insert(
        "tools/other.py".to_owned(),
        script("# ID\nuse('ID.editor')\n"),
    );
    let Output { code, out, .. } = run(on_disk(&files).path(), &[]);
    let found: Vec<&str> = out
        .lines()
        .filter(|line| line.starts_with("tools/"))
        .collect();
    assert_eq!(code, 1, "{out}");
    insta::assert_snapshot!(found.join("\n"), @"
    tools/make.ps1:1:1: the script sets up packages, but does not read the manifest [reference]
    tools/make.ps1:1:40: the script uses a different version of `com.brightline.postbox` [version]
    ");
}

#[test]
fn script_with_versions_of_its_own_is_an_error() {
    let reads = "$pins = Get-Content .github/comparison-packages.json | ConvertFrom-Json\n";
    let found = |name: &str, text: &str| {
        let mut files = fixture("clean");
        let text = text.replace("ID", "com.brightline.postbox");
        files.insert(name.to_owned(), text);
        let Output { code, out, .. } = run(on_disk(&files).path(), &[]);
        let lines: Vec<&str> = out.lines().filter(|line| line.starts_with(name)).collect();
        (
            code,
            lines.join("\n").replace("com.brightline.postbox", "ID"),
        )
    };
    let other = "the script uses a different version of `ID` [version]";
    let same = "the script repeats the version of `ID` [version]";
    let none = "the script sets up packages, but does not read the manifest [reference]";
    for (name, text, expected) in [
        (
            "a.ps1",
            format!("{reads}$extra = @{{ \"ID\" = \"2.3.0\" }}\n"),
            format!("a.ps1:2:41: {other}"),
        ),
        (
            "a.ps1",
            format!("{reads}$extra = @{{ \"ID\" = \"2.4.1\" }}\n"),
            format!("a.ps1:2:41: {same}"),
        ),
        (
            "a.sh",
            "jq . comparison-packages.json\nopenupm add ID@2.3.0\n".to_owned(),
            format!("a.sh:2:36: {other}"),
        ),
        (
            "a.py",
            "open('comparison-packages.json')\nadd('ID',\n    '2.3.0')\n".to_owned(),
            format!("a.py:3:6: {other}"),
        ),
        (
            "a.mjs",
            "read('comparison-packages.json')\nd['com.unity.ugui'] = '9.9.9'\n".to_owned(),
            "a.mjs:2:24: the script uses a different version of `com.unity.ugui` [version]"
                .to_owned(),
        ),
        (
            "a.ps1",
            "$m = @{ scopedRegistries = $r; dependencies = $d }\n".to_owned(),
            format!("a.ps1:1:1: {none}"),
        ),
        (
            "a.js",
            "write('Packages/manifest.json', {'ID': versions.postbox})\n".to_owned(),
            format!("a.js:1:1: {none}"),
        ),
    ] {
        assert_eq!(found(name, &text), (1, expected), "{text}");
    }
    for text in [
        format!("{reads}# \"ID\" = \"2.3.0\"\n$pins.packages.'ID'\n"),
        format!("{reads}$d['ID'] = $pins.packages.'ID'; $unity = '2021.3.0f1'\n"),
        format!("{reads}$d['ID.editor'] = '2.3.0'\n"),
        format!("{reads}Write-Host ID\nnode 18.0.0\n"),
    ] {
        assert_eq!(found("a.ps1", &text), (0, String::new()), "{text}");
    }
    // A script that only mentions a package contains no version that could drift.
    assert_eq!(found("a.ps1", "Write-Host 'ID'\n"), (0, String::new()));
}

#[test]
fn root_is_accepted_before_and_after_generate() {
    let dir = on_disk(&fixture("clean"));
    let root = dir.path().to_str().unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let manifest = dir.path().join(MANIFEST);
    let manifest = manifest.to_str().unwrap();
    for args in [
        &["--root", root, "generate"][..],
        &["generate", "--root", root],
        &["--manifest", manifest, "generate"],
        &["generate", "--manifest", manifest],
        &["--root", root, "generate", "--manifest", manifest],
        &["-q", "generate", "--root", root, "--integration"],
    ] {
        let Output { code, out, err } = run(elsewhere.path(), args);
        assert_eq!(code, 0, "{args:?}: {err}");
        assert!(
            out.contains(r#""com.brightline.postbox": "2.4.1""#),
            "{args:?}"
        );
    }
    for args in [
        &["generate"][..],
        &["--root", root, "--fix", "generate"],
        &["--root", root, "--format", "json", "generate"],
        &["generate", "--root", root, "--fix"],
    ] {
        let Output { code, out, .. } = run(elsewhere.path(), args);
        assert_eq!((code, out.as_str()), (2, ""), "{args:?}");
    }
}

#[test]
fn unity_drifts_are_findings() {
    let dir = on_disk(&fixture("drifted"));
    let Output { code, out, err } = run(dir.path(), &[]);
    assert_eq!(
        (code, err.as_str()),
        (1, "note: 19 files checked, 33 findings\n")
    );
    let (unity, _) = out.split_at(out.find("\nbench/").unwrap() + 1);
    insta::assert_snapshot!(unity, @r#"
    .github/comparison-packages.json:57:7: consumer not found [consumer]
      found `bench/poetry/poetry.lock`
      hint: correct the path, or remove the consumer
    Game/Assets/Comparisons/Brightline.Comparisons.Lantern.asmdef:17:27: the expression excludes the pinned `com.lantern.signals`: its code is never compiled [version-define]
      found `7.0.0`, expected `7.0.0-rc.2`
      hint: leave it empty, or write a range that includes the pin, such as `[1.0,2.0)`
    Game/Assets/Comparisons/Brightline.Comparisons.Lantern.asmdef:21:21: `LANTERN_EXTRAS_PRESENT` is produced by a package that does not own it [version-define]
      found `com.lantern.signals.addons`, expected `com.lantern.signals.extras`
      hint: set it to `com.lantern.signals.extras`, or use another symbol
    Game/Assets/Comparisons/Brightline.Comparisons.Postbox.asmdef:12:9: `LANTERN_SIGNALS_PRESENT` is required but not produced [define-constraint]
      found `LANTERN_SIGNALS_PRESENT`, expected `com.lantern.signals`
      hint: add `{"name": "com.lantern.signals", "expression": "", "define": "LANTERN_SIGNALS_PRESENT"}` to `versionDefines`
    Game/Assets/Comparisons/Brightline.Comparisons.Postbox.asmdef:18:23: `POSTBOX_PRESENT` is produced but not required [define-constraint]
      expected `POSTBOX_PRESENT`
      hint: add `POSTBOX_PRESENT` to `defineConstraints`, without `!` and without alternatives
    Game/Packages/manifest.json:2:3: `com.lantern.signals.extras` is pinned but not declared [missing]
      expected `7.0.0`
      hint: add `"com.lantern.signals.extras": "7.0.0"` to `Game/Packages/manifest.json`
    Game/Packages/manifest.json:3:30: the version of `com.brightline.inject` differs from its pin [version]
      found `1.8.0`, expected `1.9.0`
      hint: write `1.9.0`, or change the pin in `.github/comparison-packages.json`
    Game/Packages/manifest.json:4:32: `com.brightline.unlisted` is declared but not pinned [unpinned]
      found `0.1.0`
      hint: pin it in `.github/comparison-packages.json`, or add it to the consumer's `ignore`
    Game/Packages/manifest.json:5:31: the version of `com.brightline.postbox` differs from its pin [version]
      found `2.3.0`, expected `2.4.1`
      hint: write `2.4.1`, or change the pin in `.github/comparison-packages.json`
    Game/Packages/manifest.json:6:28: `com.lantern.signals` does not come from its registry [origin]
      found `https://git.example.org/signals.git#7.0.0`, expected `7.0.0-rc.2`
      hint: write `7.0.0-rc.2`, or change the pin in `.github/comparison-packages.json`
    Game/Packages/manifest.json:9:23: the version of `com.unity.ugui` differs from its pin [version]
      found `2.0.0`, expected `1.0.0`
      hint: write `1.0.0`, or change the pin in `.github/comparison-packages.json`
    Game/Packages/manifest.json:13:15: the registry's name differs [project-registry]
      found `exmaple packages`, expected `example packages`
      hint: write `example packages`
    Game/Packages/manifest.json:15:17: the scope `com.lantern.signals` is missing [project-registry]
      expected `com.lantern.signals`
      hint: add `com.lantern.signals` to `scopes`
    Game/Packages/manifest.json:17:9: the scope `com.lantern` is not pinned [project-registry]
      found `com.lantern`
      hint: remove it, or add it to `registry.scopes` in `.github/comparison-packages.json`
    Game/Packages/packages-lock.json:8:14: `com.brightline.inject` is locked from a different origin [origin]
      found `https://mirror.example.net`, expected `https://packages.example.org`
      hint: fix `Packages/manifest.json`, then open the project in Unity to resolve its packages
    Game/Packages/packages-lock.json:11:18: the locked version of `com.brightline.postbox` differs from its pin [lock]
      found `2.3.0`, expected `2.4.1`
      hint: fix `Packages/manifest.json`, then open the project in Unity to resolve its packages
    Game/ProjectSettings/ProjectVersion.txt:1:18: the project's Unity version is older than `minUnityForComparisons` [min-unity]
      found `2020.3.9f1`, expected `2021.3.0f1`
      hint: open the project in Unity 2021.3.0f1 or newer, or change `minUnityForComparisons` in `.github/comparison-packages.json`
    "#);
}

#[test]
fn drifts_of_other_ecosystems_are_findings() {
    let dir = on_disk(&fixture("drifted"));
    let out = run(dir.path(), &["-q"]).out;
    let (_, others) = out.split_at(out.find("\nbench/").unwrap() + 1);
    insta::assert_snapshot!(others, @r#"
    bench/dotnet/Bench.csproj:5:22: the version of `Reactive.Bindings` differs from its pin [version]
      found `9.5.0`, expected `9.6.0`
      hint: write `9.6.0`, or change the pin in `.github/comparison-packages.json`
    bench/dotnet/Directory.Packages.props:7:48: `MediatR` has no exact version [range]
      found `12.*`, expected `12.4.1`
      hint: write `12.4.1`, or change the pin in `.github/comparison-packages.json`
    bench/go/go.mod:7:21: the version of `go.uber.org/atomic` differs from its pin [version]
      found `v1.10.0`, expected `v1.11.0`
      hint: write `v1.11.0`, or change the pin in `.github/comparison-packages.json`
    bench/go/go.sum:1:1: `^go.uber.org/atomic ([^\s/]+) h1:` matches nothing, so `go.uber.org/atomic` has no version [missing]
      expected `v1.11.0`
      hint: add the version to the file, or correct the consumer in `.github/comparison-packages.json`
    bench/js/package-lock.json:18:19: the version of `eventemitter3` differs from its pin [version]
      found `4.0.7`, expected `5.0.1`
      hint: fix the file that declares it, then let its package manager write this one
    bench/js/package.json:5:14: `mitt` has no exact version [range]
      found `^3.0.0`, expected `3.0.1`
      hint: write `3.0.1`, or change the pin in `.github/comparison-packages.json`
    bench/js/package.json:6:31: the version of `eventemitter3` differs from its pin [version]
      found `4.0.7`, expected `5.0.1`
      hint: write `5.0.1`, or change the pin in `.github/comparison-packages.json`
    bench/poetry/pyproject.toml:8:12: `blinker` has no exact version [range]
      found `^1.8`, expected `1.8.2`
      hint: write `1.8.2`, or change the pin in `.github/comparison-packages.json`
    bench/pyproject/pyproject.toml:1:1: `"blinker([^"]*)"` matches nothing, so `blinker` has no version [missing]
      expected `1.8.2`
      hint: add the version to the file, or correct the consumer in `.github/comparison-packages.json`
    bench/pyproject/pyproject.toml:7:19: `pyee` has no exact version [range]
      found `>=12,<13`, expected `12.0.0`
      hint: write `12.0.0`, or change the pin in `.github/comparison-packages.json`
    bench/pyproject/uv.lock:11:12: the version of `pyee` differs from its pin [version]
      found `12.1.1`, expected `12.0.0`
      hint: fix the file that declares it, then let its package manager write this one
    bench/python/base.txt:1:8: the version of `blinker` differs from its pin [version]
      found `==1.8.1`, expected `1.8.2`
      hint: write `1.8.2`, or change the pin in `.github/comparison-packages.json`
    bench/python/requirements.txt:3:14: `pyee` has no exact version [range]
      found `~=12.0`, expected `12.0.0`
      hint: write `12.0.0`, or change the pin in `.github/comparison-packages.json`
    bench/rust/Cargo.lock:72:12: the version of `crossbeam-channel` differs from its pin [version]
      found `0.5.14`, expected `0.5.15`
      hint: fix the file that declares it, then let its package manager write this one
    bench/rust/Cargo.toml:7:10: the version of `flume` differs from its pin [version]
      found `0.11`, expected `0.11.1`
      hint: write `0.11.1`, or change the pin in `.github/comparison-packages.json`
    bench/rust/Cargo.toml:8:34: the version of `crossbeam-channel` differs from its pin [version]
      found `=0.5.14`, expected `0.5.15`
      hint: write `0.5.15`, or change the pin in `.github/comparison-packages.json`
    "#);
}

#[test]
fn broken_files_are_reported_with_the_findings() {
    let mut project = fixture("drifted");
    project.insert(
        "bench/js/package.json".to_owned(),
        "{\n  \"dependencies\": {\n".to_owned(),
    );
    project.insert(
        "bench/rust/Cargo.toml".to_owned(),
        "[dependencies]\nflume = \"1\"\nflume = \"2\"\n".to_owned(),
    );
    let dir = on_disk(&project);
    fs::write(dir.path().join("bench/go/go.mod"), b"module \xff\n").unwrap();
    let Output { code, out, err } = run(dir.path(), &[]);
    let broken: Vec<&str> = out
        .lines()
        .filter(|line| line.ends_with("[broken]"))
        .collect();
    assert_eq!(code, 2);
    assert!(
        out.contains("`blinker`") && err.contains("3 files not readable"),
        "{err}"
    );
    insta::assert_snapshot!(broken.join("\n"), @"
    bench/go/go.mod:1:1: cannot read this file: stream did not contain valid UTF-8 [broken]
    bench/js/package.json:2:19: unterminated object [broken]
    bench/rust/Cargo.toml:3:1: duplicate key [broken]
    ");
}

#[test]
fn broken_manifest_has_a_position() {
    let outputs = [
        "{",
        "[]",
        "{\"packages\": {\"a\": 1}}",
        "{\"consumers\": [1]}",
        "{\"consumers\": [{\"kind\": \"maven\", \"path\": \"x\"}]}",
    ]
    .map(|manifest| run(on_disk(&project(manifest, &[])).path(), &["-q"]));
    assert!(outputs.iter().all(|output| output.code == 2));
    insta::assert_snapshot!(outputs.map(|output| output.out).concat(), @"
    .github/comparison-packages.json:1:1: unterminated object [broken]
    .github/comparison-packages.json:1:1: expected an object [broken]
    .github/comparison-packages.json:1:20: invalid type: integer `1`, expected a string [broken]
    .github/comparison-packages.json:1:16: invalid type: integer `1`, expected struct Consumer [broken]
    .github/comparison-packages.json:1:31: unknown variant `maven`, expected `unity` or `script`; for any other file, write `file` with `key` or `pattern` [broken]
    ");
    let none = run(tempfile::tempdir().unwrap().path(), &[]);
    assert_eq!(none.code, 2);
    assert!(
        none.err.contains("comparison-packages.json")
            && none
                .err
                .contains("hint: set the manifest with `--manifest FILE`"),
        "{}",
        none.err
    );
}

#[test]
fn huge_and_deep_files_are_handled() {
    let manifest = r#"{"ecosystems": {"npm": {"mitt": "3.0.1"}}, "consumers": [{"file": "package.json", "key": "dependencies.mitt"}]}"#;
    let deep = "{\"a\":".repeat(300_000) + "1" + &"}".repeat(300_000);
    let wide = format!(
        "{{\"dependencies\": {{{}\"mitt\": \"3.0.2\"}}}}",
        "\"other\": \"3.0.1\",".repeat(10_000)
    );
    for (file, text) in [
        ("package.json", deep.clone()),
        ("a.yaml", "[".repeat(300_000)),
        ("a.toml", "a = ".to_owned() + &"[".repeat(300_000)),
    ] {
        let manifest = manifest.replace("package.json", file);
        let dir = on_disk(&project(&manifest, &[(file, &text)]));
        let Output { code, out, .. } = run(dir.path(), &[]);
        let is_limited = out.contains("maximum nesting depth") || out.contains("recurs");
        assert!(code == 2 && is_limited, "{file}: {out}");
    }
    let dir = on_disk(&project(manifest, &[("package.json", &wide)]));
    assert_eq!(
        run(dir.path(), &["--format", "json"])
            .out
            .matches("duplicate-key")
            .count(),
        9_999
    );
}

#[test]
fn annotations_are_escaped() {
    let manifest = r#"{"ecosystems": {"npm": {"mitt": "3.0.1"}}, "consumers": [
        {"file": "a,b%/package.json", "key": "dependencies.mitt"}]}"#;
    let package = "{\"dependencies\": {\"mitt\": \"1.0.0\\r\\n::error::gotcha %0A\", \"x::y\": \"\\u001b[31m1\"}}";
    let dir = on_disk(&project(manifest, &[("a,b%/package.json", package)]));
    let github = run(dir.path(), &["--format", "github", "-q"]);
    insta::assert_snapshot!(github.out, @r"::error file=a%2Cb%25/package.json,line=1,col=28,title=range::`mitt` has no exact version%0Afound `1.0.0\r\n::error::gotcha %250A`, expected `3.0.1`%0Ahint: write `3.0.1`, or change the pin in `.github/comparison-packages.json`");
    let text = run(dir.path(), &["-q"]).out;
    assert!(
        !text.contains('\u{1b}') && !text.lines().any(|line| line.starts_with("::")),
        "{text}"
    );
    assert_eq!(github.code, 1);
}

#[test]
fn json_output() {
    let mut project = fixture("clean");
    project.insert(
        "bench/go/go.mod".to_owned(),
        "module m\nrequire go.uber.org/atomic v1.10.0\n".to_owned(),
    );
    let dir = on_disk(&project);
    let Output { code, out, .. } = run(dir.path(), &["--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (
            code,
            &json["version"],
            json["checked"].as_array().unwrap().len()
        ),
        (1, &2.into(), 20)
    );
    insta::assert_snapshot!(serde_json::to_string_pretty(&json["findings"]).unwrap(), @r#"
    [
      {
        "column": 1,
        "expected": "v0.0.0-20200907212545-49d423059eef",
        "file": "bench/go/go.mod",
        "fixable": false,
        "found": null,
        "hint": "add the version to the file, or correct the consumer in `.github/comparison-packages.json`",
        "line": 1,
        "message": "`github.com/asaskevich/EventBus (v\\S+)` matches nothing, so `github.com/asaskevich/EventBus` has no version",
        "rule": "missing"
      },
      {
        "column": 28,
        "expected": "v1.11.0",
        "file": "bench/go/go.mod",
        "fixable": true,
        "found": "v1.10.0",
        "hint": "write `v1.11.0`, or change the pin in `.github/comparison-packages.json`",
        "line": 2,
        "message": "the version of `go.uber.org/atomic` differs from its pin",
        "rule": "version"
      }
    ]
    "#);
}

#[test]
fn root_is_part_of_every_path() {
    let dir = on_disk(&fixture("drifted"));
    let inside = dir.path().join("bench");
    let out = run(&inside, &["--root", "..", "-q"]).out;
    assert!(
        out.starts_with("../.github/comparison-packages.json:")
            || out.starts_with("../Game/Assets/"),
        "{out}"
    );
    assert!(
        out.lines()
            .filter(|line| line.contains(": `"))
            .all(|line| line.starts_with("../") || line.starts_with("  "))
    );
}

#[test]
fn help_has_examples_and_exit_codes() {
    let help = run(&std::env::temp_dir(), &["--help"]);
    assert_eq!(help.code, 0);
    assert!(
        ["Examples:", "Exit codes:", "--fix"]
            .iter()
            .all(|part| help.out.contains(part))
    );
}
