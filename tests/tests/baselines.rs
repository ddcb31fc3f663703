//! A missing baseline is skipped with a warning; a damaged one is always an error.

use end_to_end::encode::{crlf, gzip, utf16_le};
use end_to_end::{Outcome, Project};

use crate::HEADER;

const ROW: &str = "Parse,linux x64,0123abcd,-1,100.000,0,1000.000,0\n";
const LINE: &str = "render-perf-deltas --input run.log --baseline-csv base.csv";
const SKIPPED: &str = "exit 0: changed=false regressed=false";

fn project() -> Project {
    Project::empty().with("run.log", ROW)
}

fn compared(baseline: impl AsRef<[u8]>) -> Outcome {
    project().with("base.csv", baseline).run(LINE)
}

#[test]
fn missing_baseline_is_skipped_with_a_warning() {
    let project = project();
    let (outcome, report) = project.compare(&format!("{LINE} --output deltas.md --exit-code"));
    assert_eq!(outcome.results(), SKIPPED);
    assert_eq!(outcome.warnings(), [""]);
    assert!(outcome.mentions(&["base.csv"]), "{outcome}");
    assert!(project.text("deltas.md").contains("base.csv"));
    assert!(
        report.0["skipped"].as_str().unwrap().contains("base.csv"),
        "{report:?}"
    );
    assert_eq!(
        (report.scopes().len(), &report.0["counts"]["compared"]),
        (0, &0.into())
    );
    let elsewhere =
        project.run("render-perf-deltas --input run.log --baseline-csv docs/perf/base.csv");
    assert_eq!(elsewhere.results(), SKIPPED);
}

#[test]
fn baseline_without_rows_is_treated_as_missing() {
    for header in [
        HEADER,
        HEADER.trim_end(),
        &crlf(HEADER),
        "scenario,decodeNs\n",
    ] {
        let outcome = compared(header);
        assert_eq!(outcome.results(), SKIPPED, "{header:?}");
        assert!(
            outcome.warnings().len() == 1 && outcome.mentions(&["base.csv"]),
            "{outcome}"
        );
    }
}

#[test]
fn baseline_is_read_in_any_encoding() {
    let baseline = format!("{HEADER}{ROW}");
    let encoded = [
        baseline.clone().into_bytes(),
        crlf(&baseline).into(),
        gzip(baseline.as_bytes()),
        utf16_le(&baseline),
    ];
    for content in encoded {
        assert_eq!(
            compared(content).results(),
            "exit 0: changed=false regressed=false compared=1"
        );
    }
}

#[test]
fn damaged_baseline_is_rejected_and_nothing_is_written() {
    let broken = format!("{HEADER}{ROW}{}", ROW.replace("100.000", "1oo.000"));
    let cut = format!("{HEADER}{}", &ROW[..40]);
    let conflict = format!("{HEADER}<<<<<<< HEAD\n{ROW}=======\n{ROW}>>>>>>> main\n");
    let cases: [(&[u8], &str); 10] = [
        (b"", ""),
        (b"\n\n", ""),
        (broken.as_bytes(), "base.csv:3"),
        (cut.as_bytes(), "base.csv:2"),
        (conflict.as_bytes(), "base.csv:2"),
        (
            b"<!DOCTYPE html>\n<html><body>404: Not Found</body></html>\n",
            "",
        ),
        (
            b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n",
            "",
        ),
        (&[0, 159, 146, 150, 0, 0, 10, 0, 255], ""),
        (b"{\"rows\": []}", ""),
        (&gzip(HEADER.as_bytes())[..20], ""),
    ];
    for (baseline, place) in cases {
        let project = project()
            .with("base.csv", baseline)
            .with("deltas.md", "old")
            .with("report.json", "old");
        let outcome = project.run(&format!("{LINE} --output deltas.md --json report.json"));
        let is_conflict = baseline == conflict.as_bytes();
        outcome.assert_refused(
            place,
            &[
                "base.csv",
                if is_conflict {
                    "unresolved merge conflict"
                } else {
                    ""
                },
            ],
        );
    }
}

#[test]
fn unreadable_baseline_is_not_missing() {
    let folder = project().with("base.csv/base.csv", "");
    folder.run(LINE).assert_refused("", &["base.csv"]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let dangling = project();
        symlink("gone.csv", dangling.path("base.csv")).unwrap();
        dangling
            .run(LINE)
            .assert_refused("", &["base.csv", "gone.csv"]);
        let locked = project().with("base.csv", format!("{HEADER}{ROW}"));
        std::fs::set_permissions(
            locked.path("base.csv"),
            std::fs::Permissions::from_mode(0o000),
        )
        .unwrap();
        // Root can read everything.
        if std::fs::read(locked.path("base.csv")).is_err() {
            locked.run(LINE).assert_refused("", &["base.csv"]);
        }
    }
}

#[test]
fn baseline_of_unlisted_scenarios_is_not_treated_as_missing() {
    let project = project().with(
        "base.csv",
        format!("{HEADER}{}", ROW.replace("Parse", "Renamed")),
    );
    project.write(
        "perf-gate.toml",
        "rows.unlisted = 'drop'\nscenarios = [{ key = 'Parse' }]\n",
    );
    let outcome = project.run(&format!("{LINE} --exit-code"));
    assert!(outcome.mentions(&["Renamed"]), "{outcome}");
    assert_eq!(
        outcome.results(),
        "exit 1: changed=false regressed=false new=1 failed=nothing-compared"
    );
}

#[test]
fn unused_baseline_rows_are_reported() {
    let other_commit = ROW.replace("0123abcd", "89abcdef");
    let alone = compared(format!("{HEADER}{other_commit}"));
    let contradiction = ROW.replace("100.000", "200.000");
    for rows in [other_commit, contradiction] {
        let outcome = compared(format!("{HEADER}{ROW}{rows}"));
        assert!(outcome.results().contains("compared=1"), "{outcome}");
        assert!(
            outcome.stderr.lines().count() > alone.stderr.lines().count(),
            "{outcome}"
        );
    }
}

#[test]
fn baseline_is_read_from_a_pipe() {
    let piped = |baseline: String| {
        let tool = project().with("x", "");
        tool.tool("render-perf-deltas --input run.log --baseline-csv -")
            .stdin(baseline)
            .run()
    };
    let outcome = piped(format!("{HEADER}{ROW}"));
    assert_eq!(
        outcome.results(),
        "exit 0: changed=false regressed=false compared=1"
    );
    piped(String::new()).assert_refused("", &[]);
}
