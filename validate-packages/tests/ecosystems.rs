//! The findings that a change causes in the files of each package manager, over projects in memory.

#![expect(clippy::unwrap_used, reason = "the set-up of a test may stop it")]

mod support;

use support::{after, checked, fixture};
use validate_comparison_packages::output;

#[test]
fn cargo_workspaces_renames_targets_and_origins() {
    let path = "bench/rust/Cargo.toml";
    let flume = "flume = \"=0.11.1\"";
    let drifts = [
        "flume = { version = \"0.11.1\" }",
        "flume = { git = \"https://example.org/flume\" }",
        "flume = { path = \"../flume\" }",
        "channel = { package = \"flume\", version = \"=0.11.0\" }",
        "flume.workspace = true",
        "flume = \"=0.11\"",
    ];
    insta::assert_snapshot!(drifts.map(|new| after(path, flume, new)).join("\n\n"), @r#"
    bench/rust/Cargo.toml:7:21: `flume` has no exact version [range]
      found `0.11.1`, expected `=0.11.1`

    bench/rust/Cargo.toml:7:1: `flume` comes from a repository instead of its pinned release [origin]
      found `{ git = "https://example.org/flume" }`, expected `=0.11.1`

    bench/rust/Cargo.toml:7:1: `flume` comes from a folder instead of its pinned release [origin]
      found `{ path = "../flume" }`, expected `=0.11.1`

    bench/rust/Cargo.toml:7:42: the version of `flume` differs from its pin [version]
      found `=0.11.0`, expected `=0.11.1`

    bench/rust/Cargo.toml:6:2: `flume` is pinned but not declared [missing]
      expected `0.11.1`

    bench/rust/Cargo.toml:7:9: `flume` has no exact version [range]
      found `=0.11`, expected `=0.11.1`
    "#);
    let target = "[target.'cfg(unix)'.dependencies]\nflume = \"*\"\n[dependencies]";
    insta::assert_snapshot!(after(path, "[dependencies]\nflume = \"=0.11.1\"", target), @"
    bench/rust/Cargo.toml:7:9: `flume` has no exact version [range]
      found `*`, expected `=0.11.1`
    ");
    let fine = [
        "flume = \"= 0.11.1\"",
        "f = { package = \"flume\", version = \"=0.11.1\" }",
        "helper = { path = \"../helper\" }\nflume = \"=0.11.1\"",
    ];
    assert_eq!(fine.map(|new| after(path, flume, new)), ["", "", ""]);
    let mut project = fixture("clean");
    *project.get_mut(path).unwrap() =
        fixture("clean")[path].replace(flume, "flume.workspace = true");
    project.insert(
        "Cargo.toml".to_owned(),
        "[workspace]\n[workspace.dependencies]\nflume = \"0.11\"\n".to_owned(),
    );
    insta::assert_snapshot!(output::text(&checked(&project)), @"
    Cargo.toml:3:9: `flume` has no exact version [range]
      found `0.11`, expected `=0.11.1`
      hint: write `=0.11.1`, or change the pin in `.github/comparison-packages.json`
    ");
}

#[test]
fn npm_aliases_workspaces_and_old_locks() {
    let (path, mitt) = ("bench/js/package.json", "\"mitt\": \"3.0.1\"");
    let drifts = [
        "\"mitt\": \"latest\"",
        "\"mitt\": \"github:example/mitt\"",
        "\"mitt\": \"file:../mitt\"",
        "\"mitt\": 3",
    ];
    insta::assert_snapshot!(drifts.map(|new| after(path, mitt, new)).join("\n\n"), @"
    bench/js/package.json:5:13: `mitt` has no exact version [range]
      found `latest`, expected `3.0.1`

    bench/js/package.json:5:13: `mitt` comes from a repository or a URL instead of its pinned release [origin]
      found `github:example/mitt`, expected `3.0.1`

    bench/js/package.json:5:13: `mitt` comes from a folder instead of its pinned release [origin]
      found `file:../mitt`, expected `3.0.1`

    bench/js/package.json:5:13: `mitt` has no exact version [range]
      found `3`, expected `3.0.1`
    ");
    let mut project = fixture("clean");
    project.remove("bench/js/package-lock.json");
    project.insert(
        "package-lock.json".to_owned(),
        r#"{"lockfileVersion": 3, "packages": {
        "bench/js/node_modules/mitt": {"version": "3.0.1"}, "node_modules/mitt": {"version": "2.0.0"},
        "node_modules/other/node_modules/mitt": {"version": "1.0.0"},
        "node_modules/ee3": {"name": "eventemitter3", "version": "5.0.1"}}}"#
            .to_owned(),
    );
    assert_eq!(output::text(&checked(&project)), "");
    let lock = project["package-lock.json"].replace(
        "bench/js/node_modules/mitt\": {",
        "node_modules/a/node_modules/m\": {\"name\": \"mitt\", ",
    );
    project.insert("package-lock.json".to_owned(), lock);
    assert!(
        output::text(&checked(&project)).contains("found `2.0.0`, expected `3.0.1`"),
        "another package's own copy is ignored"
    );
    project.insert(
        "package-lock.json".to_owned(),
        r#"{"lockfileVersion": 1, "dependencies": {
        "mitt": {"version": "3.0.2"}, "eventemitter3": {"version": "5.0.1"}}}"#
            .to_owned(),
    );
    insta::assert_snapshot!(output::text(&checked(&project)), @"
    package-lock.json:2:29: the locked version of `mitt` differs from its pin [lock]
      found `3.0.2`, expected `3.0.1`
      hint: fix `package.json`, then run `npm install`
    ");
}

#[test]
fn python_requirements_and_projects() {
    let pyproject = "bench/pyproject/pyproject.toml";
    let drifts = [
        after(
            "bench/python/requirements.txt",
            "pyee[asyncio]==12.0.0",
            "Pyee @ https://example.org/pyee.whl",
        ),
        after(
            "bench/python/requirements.txt",
            "pyee[asyncio]==12.0.0",
            "pyee==12.0.0\nBlinker==1.0\n./local",
        ),
        after(
            pyproject,
            "[dependency-groups]",
            "[tool.uv.sources]\npyee = { git = \"https://example.org/pyee\" }\n[dependency-groups]",
        ),
        after(pyproject, "\"blinker==1.8.2\"", "\"blinker==1.8.*\""),
        after(
            pyproject,
            "'pyee[asyncio]==12.0.0; python_version >= \"3.8\"'",
            "\"py\\u0065e ~= 12.0\"",
        ),
        after(
            "bench/poetry/pyproject.toml",
            "blinker = \"1.8.2\"",
            "[tool.poetry.group.dev.dependencies]\nblinker = { version = \"==1.8.1\" }",
        ),
        after(
            "bench/poetry/pyproject.toml",
            "blinker = \"1.8.2\"",
            "blinker = { git = \"https://example.org/blinker\" }",
        ),
    ];
    insta::assert_snapshot!(drifts.join("\n\n"), @r#"
    bench/python/requirements.txt:3:1: `pyee` comes from a URL instead of its pinned release [origin]
      found `Pyee @ https://example.org/pyee.whl ; python_version >= "3.8"`, expected `==12.0.0`

    bench/python/requirements.txt:4:8: the version of `blinker` differs from its pin [version]
      found `==1.0`, expected `==1.8.2`
    bench/python/requirements.txt:5:1: `./local ; python_version >= "3.8"` is declared but not pinned [unpinned]
      found `./local ; python_version >= "3.8"`

    bench/pyproject/pyproject.toml:11:1: `pyee` comes from a URL instead of its pinned release [origin]
      found `{ git = "https://example.org/pyee" }`, expected `==12.0.0`

    bench/pyproject/pyproject.toml:6:5: `blinker` has no exact version [range]
      found `==1.8.*`, expected `==1.8.2`

    bench/pyproject/pyproject.toml:7:5: `pyee` has no exact version [range]
      found `~= 12.0`, expected `==12.0.0`

    bench/poetry/pyproject.toml:9:23: the version of `blinker` differs from its pin [version]
      found `==1.8.1`, expected `==1.8.2`

    bench/poetry/pyproject.toml:8:11: `blinker` comes from a URL instead of its pinned release [origin]
      found `{ git = "https://example.org/blinker" }`, expected `1.8.2`
    "#);
    let lost = after(
        "bench/python/requirements.txt",
        "-r base.txt",
        "-r base.txt\n-r base.txt\n-r ../../../out.txt",
    );
    insta::assert_snapshot!(lost, @"
    bench/python/requirements.txt:4:1: included file not found in the project [consumer]
      found `../../../out.txt`
    ");
    assert_eq!(
        after(
            "bench/poetry/pyproject.toml",
            "blinker = \"1.8.2\"",
            "Blinker = \"==1.8.2\""
        ),
        ""
    );
}

#[test]
fn go_blocks_lines_and_replacements() {
    let path = "bench/go/go.mod";
    let atomic = "\tgo.uber.org/atomic v1.11.0\n";
    let drifts = [
        after(path, atomic, ""),
        after(path, atomic, "\tgo.uber.org/atomic v1.11.1 // indirect\n"),
        after(path, atomic, "\tgo.uber.org/atomic latest\n"),
        after(
            path,
            atomic,
            "\tgo.uber.org/atomic v1.11.0\n\texample.org/other v1.0.0\n",
        ),
        after(
            path,
            "go 1.22\n",
            "go 1.22\nreplace (\n\tgo.uber.org/atomic => go.uber.org/atomic v1.9.0\n)\n",
        ),
    ];
    insta::assert_snapshot!(drifts.join("\n\n"), @"
    bench/go/go.mod:1:1: `go.uber.org/atomic` is pinned but not declared [missing]
      expected `v1.11.0`

    bench/go/go.mod:7:21: the version of `go.uber.org/atomic` differs from its pin [version]
      found `v1.11.1`, expected `v1.11.0`

    bench/go/go.mod:7:21: `go.uber.org/atomic` has no exact version [range]
      found `latest`, expected `v1.11.0`

    bench/go/go.mod:8:20: `example.org/other` is declared but not pinned [unpinned]
      found `v1.0.0`

    bench/go/go.mod:5:24: the version of `go.uber.org/atomic` differs from its pin [version]
      found `go.uber.org/atomic v1.9.0`, expected `v1.11.0`
    ");
    assert_eq!(
        after(path, atomic, "\t\"go.uber.org/atomic\" v1.11.0 // why\r\n"),
        ""
    );
}

#[test]
fn nuget_attributes_elements_properties_and_central_versions() {
    let (path, mediatr) = (
        "bench/dotnet/Bench.csproj",
        "<PackageReference Include=\"MediatR\" />",
    );
    let drifts = [
        after(
            path,
            mediatr,
            "<PackageReference Include=\"mediatr\" Version=\"[12.0,13.0)\" />",
        ),
        after(
            path,
            mediatr,
            "<PackageReference Include=\"MediatR\"><Version><!-- a -->12.4.0</Version></PackageReference>",
        ),
        after(
            path,
            mediatr,
            "<PackageReference Include=\"MediatR\" Version=\"$(Nowhere)\" />",
        ),
        after(
            path,
            "<BindingsVersion>9.6.0</BindingsVersion>",
            "<BindingsVersion>$(bindingsversion)</BindingsVersion>",
        ),
        after(
            "bench/dotnet/Directory.Packages.props",
            "<PackageVersion Include=\"MediatR\" Version=\"[12.4.1]\" />",
            "",
        ),
        after(path, mediatr, "<PackageReference Include=\"Polly\" />"),
    ];
    insta::assert_snapshot!(drifts.join("\n\n"), @"
    bench/dotnet/Bench.csproj:10:50: `MediatR` has no exact version [range]
      found `[12.0,13.0)`, expected `12.4.1`

    bench/dotnet/Bench.csproj:10:60: the version of `MediatR` differs from its pin [version]
      found `12.4.0`, expected `12.4.1`

    bench/dotnet/Bench.csproj:10:50: `MediatR` comes from an undefined property instead of its pinned release [origin]
      found `$(Nowhere)`, expected `12.4.1`

    bench/dotnet/Bench.csproj:5:22: `Reactive.Bindings` comes from an undefined property instead of its pinned release [origin]
      found `$(bindingsversion)`, expected `9.6.0`

    bench/dotnet/Bench.csproj:10:32: `MediatR` has no exact version [range]
      found `no version`, expected `12.4.1`

    bench/dotnet/Bench.csproj:1:1: `MediatR` is pinned but not declared [missing]
      expected `12.4.1`
    bench/dotnet/Bench.csproj:10:32: `Polly` is declared but not pinned [unpinned]
      found `no version`
    ");
    let fine = "<PackageReference Include=\"MediatR\" Version=\"12.4.1\" /><PackageReference Update=\"Other\" PrivateAssets=\"all\" />";
    assert_eq!(after(path, mediatr, fine), "");
    let mut project = fixture("clean");
    let lock = r#"{"version": 1, "dependencies": {"net8.0": {"MediatR": {"resolved": "12.4.0"}, "Reactive.Bindings": {"resolved": "9.6.0"}}}}"#;
    project.insert(
        "bench/dotnet/packages.lock.json".to_owned(),
        lock.to_owned(),
    );
    assert!(output::text(&checked(&project)).starts_with(
        "bench/dotnet/packages.lock.json:1:68: the locked version of `MediatR` differs"
    ));
}
