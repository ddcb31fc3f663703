//! `--fix`.

use std::fmt::Write as _;
use std::fs;

use crate::support::{Project, fixture, on_disk, run};

#[test]
fn fix_writes_the_pinned_versions_once() {
    let before = fixture("drifted");
    let dir = on_disk(&before);
    let first = run(dir.path(), &["--fix"]);
    let mut changes = String::new();
    for (path, old) in before {
        let new = fs::read_to_string(dir.path().join(&path)).unwrap();
        for (old, new) in old.lines().zip(new.lines()) {
            if old != new {
                let _ = writeln!(changes, "{path}\n-{old}\n+{new}");
            }
        }
    }
    insta::assert_snapshot!(changes, @r#"
    Game/Packages/manifest.json
    -    "com.brightline.inject": "1.8.0",
    +    "com.brightline.inject": "1.9.0",
    Game/Packages/manifest.json
    -    "com.brightline.postbox": "2.3.0",
    +    "com.brightline.postbox": "2.4.1",
    Game/Packages/manifest.json
    -    "com.lantern.signals": "https://git.example.org/signals.git#7.0.0",
    +    "com.lantern.signals": "7.0.0-rc.2",
    Game/Packages/manifest.json
    -    "com.unity.ugui": "2.0.0"
    +    "com.unity.ugui": "1.0.0"
    Game/Packages/manifest.json
    -      "name": "exmaple packages",
    +      "name": "example packages",
    bench/dotnet/Bench.csproj
    -    <BindingsVersion>9.5.0</BindingsVersion>
    +    <BindingsVersion>9.6.0</BindingsVersion>
    bench/go/go.mod
    -	go.uber.org/atomic v1.10.0
    +	go.uber.org/atomic v1.11.0
    bench/js/package.json
    -    "mitt": "^3.0.0",
    +    "mitt": "3.0.1",
    bench/js/package.json
    -    "ee3": "npm:eventemitter3@4.0.7"
    +    "ee3": "npm:eventemitter3@5.0.1"
    bench/poetry/pyproject.toml
    -blinker = "^1.8"
    +blinker = "1.8.2"
    bench/python/base.txt
    -blinker==1.8.1 \
    +blinker==1.8.2 \
    bench/rust/Cargo.toml
    -flume = "0.11" # a channel
    +flume = "0.11.1" # a channel
    bench/rust/Cargo.toml
    -crossbeam-channel = { version = "=0.5.14", default-features = false, features = ["std"] }
    +crossbeam-channel = { version = "=0.5.15", default-features = false, features = ["std"] }
    "#);
    assert_eq!(first.err.matches("note: fixed `").count(), 7);
    let second = run(dir.path(), &["--fix"]);
    assert_eq!(
        (first.code, first.out, 0),
        (1, second.out, second.err.matches("fixed").count())
    );
}

#[test]
fn complete_fix_exits_with_0() {
    let mut drifted = fixture("clean");
    let file = drifted.get_mut("bench/js/package.json").unwrap();
    *file = file.replace("\"mitt\": \"3.0.1\"", "\"mitt\": \"~3.0.1\"");
    let dir = on_disk(&drifted);
    let codes = [&[][..], &["--fix"], &[]].map(|args| run(dir.path(), args).code);
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
