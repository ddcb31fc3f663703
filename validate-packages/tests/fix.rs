//! `--fix` and `--dry-run`.

#![expect(clippy::unwrap_used, reason = "the set-up of a test may stop it")]

mod support;

use std::fs;

use support::{Output, Project, fixture, on_disk, run};

#[test]
#[expect(clippy::too_many_lines, reason = "one long diff")]
fn dry_run_prints_the_diff_and_writes_nothing() {
    let before = fixture("drifted");
    let dir = on_disk(&before);
    let Output { code, out, .. } = run(dir.path(), &["--fix", "--dry-run"]);
    let (diff, left) = out.split_at(out.find("\n.github/").unwrap() + 1);
    assert_eq!(
        (
            code,
            left.lines()
                .filter(|line| line.contains("  hint: "))
                .count()
        ),
        (1, 18)
    );
    insta::assert_snapshot!(diff, @r#"
    --- a/Game/Packages/manifest.json
    +++ b/Game/Packages/manifest.json
    @@ -1,20 +1,22 @@
     {
       "dependencies": {
    -    "com.brightline.inject": "1.8.0",
    +    "com.brightline.inject": "1.9.0",
         "com.brightline.unlisted": "0.1.0",
    -    "com.brightline.postbox": "2.3.0",
    -    "com.lantern.signals": "https://git.example.org/signals.git#7.0.0",
    +    "com.brightline.postbox": "2.4.1",
    +    "com.lantern.signals": "7.0.0-rc.2",
         "com.unity.modules.animation": "1.0.0",
         "com.unity.test-framework": "1.1.33",
    -    "com.unity.ugui": "2.0.0"
    +    "com.unity.ugui": "1.0.0",
    +    "com.lantern.signals.extras": "7.0.0"
       },
       "scopedRegistries": [
         {
    -      "name": "exmaple packages",
    +      "name": "example packages",
           "url": "https://packages.example.org",
           "scopes": [
             "com.brightline",
    -        "com.lantern"
    +        "com.lantern",
    +        "com.lantern.signals"
           ]
         }
       ]
    --- a/bench/dotnet/Bench.csproj
    +++ b/bench/dotnet/Bench.csproj
    @@ -2,7 +2,7 @@
     
       <PropertyGroup>
         <TargetFramework>net8.0</TargetFramework>
    -    <BindingsVersion>9.5.0</BindingsVersion>
    +    <BindingsVersion>9.6.0</BindingsVersion>
       </PropertyGroup>
     
       <ItemGroup>
    --- a/bench/go/go.mod
    +++ b/bench/go/go.mod
    @@ -4,7 +4,7 @@
     
     require (
     	github.com/asaskevich/EventBus v0.0.0-20200907212545-49d423059eef
    -	go.uber.org/atomic v1.10.0
    +	go.uber.org/atomic v1.11.0
     )
     
     require github.com/stretchr/testify v1.8.4 // indirect
    --- a/bench/js/package.json
    +++ b/bench/js/package.json
    @@ -2,8 +2,8 @@
       "name": "emitter-bench",
       "private": true,
       "dependencies": {
    -    "mitt": "^3.0.0",
    -    "ee3": "npm:eventemitter3@4.0.7"
    +    "mitt": "3.0.1",
    +    "ee3": "npm:eventemitter3@5.0.1"
       },
       "devDependencies": {
         "nanoevents": "9.0.0",
    --- a/bench/poetry/pyproject.toml
    +++ b/bench/poetry/pyproject.toml
    @@ -5,4 +5,4 @@
     
     [tool.poetry.dependencies]
     python = "^3.11"
    -blinker = "^1.8"
    +blinker = "1.8.2"
    --- a/bench/python/base.txt
    +++ b/bench/python/base.txt
    @@ -1,2 +1,2 @@
    -blinker==1.8.1 \
    +blinker==1.8.2 \
         --hash=sha256:1779309f71bf239144b9399d06ae925637cf6634cf6bd131104184531bf67c01
    --- a/bench/rust/Cargo.toml
    +++ b/bench/rust/Cargo.toml
    @@ -4,8 +4,8 @@
     edition = "2021"
     
     [dependencies]
    -flume = "0.11" # a channel
    -crossbeam-channel = { version = "=0.5.14", default-features = false, features = ["std"] }
    +flume = "0.11.1" # a channel
    +crossbeam-channel = { version = "=0.5.15", default-features = false, features = ["std"] }
     
     [dev-dependencies]
     divan = "0.1"
    "#);
    for (path, text) in before {
        assert_eq!(fs::read_to_string(dir.path().join(path)).unwrap(), text);
    }
}

#[test]
fn fix_writes_what_the_dry_run_showed_once() {
    let dir = on_disk(&fixture("drifted"));
    let dry = run(dir.path(), &["--fix", "--dry-run"]);
    let first = run(dir.path(), &["--fix"]);
    assert!(dry.out.ends_with(&first.out) && first.err.matches("note: fixed `").count() == 7);
    let second = run(dir.path(), &["--fix"]);
    assert_eq!(
        (first.out, 0),
        (second.out, second.err.matches("fixed").count())
    );
}

#[test]
fn complete_fix_exits_with_0() {
    let mut drifted = fixture("clean");
    let file = drifted.get_mut("bench/js/package.json").unwrap();
    *file = file.replace("\"mitt\": \"3.0.1\"", "\"mitt\": \"~3.0.1\"");
    let dir = on_disk(&drifted);
    let codes =
        [&["--fix", "--dry-run"][..], &["--fix"], &[]].map(|args| run(dir.path(), args).code);
    assert_eq!(codes, [1, 0, 0]);
    assert_eq!(
        fs::read_to_string(dir.path().join("bench/js/package.json")).unwrap(),
        fixture("clean")["bench/js/package.json"]
    );
}

#[test]
fn fix_keeps_line_ends_and_byte_order_marks() {
    let windows = |project: Project| -> Project {
        project
            .into_iter()
            .map(|(path, text)| (path, format!("\u{feff}{}", text.replace('\n', "\r\n"))))
            .collect()
    };
    let (unix, dos) = (
        on_disk(&fixture("drifted")),
        on_disk(&windows(fixture("drifted"))),
    );
    let outputs = [unix.path(), dos.path()].map(|dir| run(dir, &["--fix"]).out);
    assert_eq!(outputs[0], outputs[1]);
    let read = |dir: &tempfile::TempDir| -> Project {
        fixture("drifted")
            .into_keys()
            .map(|path| {
                (
                    path.clone(),
                    fs::read_to_string(dir.path().join(path)).unwrap(),
                )
            })
            .collect()
    };
    assert_eq!(windows(read(&unix)), read(&dos));
}
