//! `extract-perf-baseline --output` with a file that already exists.

use end_to_end::Project;

use crate::HEADER;

const SMALL: &str = "Parse_Small,linux x64,0123abcd,-1,1250.000,3,1000.000,96\n";
const LARGE: &str = "Parse_Large,linux x64,0123abcd,-1,10.500,0,1000.000,0\n";
const WRITE: &str = "extract-perf-baseline --input run.log --output base.csv";

/// A log with two rows, in a folder without a config.
fn two_rows() -> Project {
    Project::empty().with("run.log", [SMALL, LARGE].concat())
}

#[test]
fn existing_file_is_not_overwritten() {
    let project = two_rows();
    assert_eq!(project.run(WRITE).files, ["+ base.csv"]);
    assert_eq!(project.text("base.csv"), [HEADER, SMALL, LARGE].concat());
    project.write("base.csv", "precious");
    project
        .run(WRITE)
        .assert_refused("", &["base.csv", "--replace", "--append"]);
}

#[test]
fn replace_overwrites_and_leaves_an_identical_file_untouched() {
    let project = two_rows().with("base.csv", HEADER);
    let replace = format!("{WRITE} --replace");
    assert_eq!(project.run(&replace).files, ["~ base.csv"]);
    assert_eq!(project.run(&replace).files, [""; 0]);
}

#[test]
fn append_adds_only_new_rows() {
    let (project, append) = (two_rows(), format!("{WRITE} --append"));
    assert_eq!(project.run(&append).files, ["+ base.csv"]);
    project.edit("run.log", "0123abcd", "4567cdef");
    assert_eq!(project.run(&append).files, ["~ base.csv"]);
    let rows = [SMALL, LARGE].concat();
    assert_eq!(
        project.text("base.csv"),
        format!("{HEADER}{rows}{}", rows.replace("0123abcd", "4567cdef"))
    );
    assert_eq!(project.run(&append).files, [""; 0]);
}

#[test]
fn append_adds_a_column_for_a_new_metric() {
    let project = two_rows().with("more.csv", "scenario,decodeNs\nParse_Small,12.5\n");
    project.run(WRITE);
    project.run("extract-perf-baseline --input more.csv --output base.csv --append");
    let (header, small, large) = (HEADER.trim_end(), SMALL.trim_end(), LARGE.trim_end());
    assert_eq!(
        project.text("base.csv"),
        format!("{header},decodeNs\n{small},-1\n{large},-1\nParse_Small,,,-1,-1,-1,-1,-1,12.5\n")
    );
}

#[test]
fn append_recognizes_rows_with_metrics_in_another_order() {
    let base = "scenario,platform,commit,runIndex,x,y\nParse,,,-1,1,2\n";
    let project = Project::empty()
        .with("base.csv", base)
        .with("run.csv", "scenario,y,x\nParse,2,1\n");
    let outcome = project.run("extract-perf-baseline --input run.csv --output base.csv --append");
    assert_eq!(
        (outcome.files.len(), project.text("base.csv").as_str()),
        (0, base)
    );
}

#[cfg(target_os = "linux")]
#[test]
fn special_files_are_written_but_never_read_back() {
    let project = two_rows();
    let written =
        project.run("extract-perf-baseline --input run.log --output /dev/stdout --replace");
    assert_eq!(written.out(), [HEADER, SMALL, LARGE].concat());
    let append = project.run("extract-perf-baseline --input run.log --output /dev/null --append");
    append.assert_refused("", &["/dev/null", "a pipe or a device"]);
}

#[cfg(unix)]
#[test]
fn pipe_is_read_as_a_stream() {
    use std::process::Command;

    let project = two_rows();
    // Not in the project: the test reads all files there.
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe").display().to_string();
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let read = format!("extract-perf-baseline --input {pipe}");
    let copy = format!("cat '{}' > '{pipe}'", project.path("run.log").display());
    let mut writer = Command::new("sh").args(["-c", &copy]).spawn().unwrap();
    assert_eq!(project.run(&read).out(), [HEADER, SMALL, LARGE].concat());
    assert!(writer.wait().unwrap().success());
}

#[test]
fn append_recognizes_rounded_rows() {
    let project = Project::empty().with(
        "run.log",
        "Parse,linux x64,0123abcd,-1,1250.0004999,3,0.06251,96\n",
    );
    assert_eq!(project.run(WRITE).files, ["+ base.csv"]);
    let again = project.run(&format!("{WRITE} --append"));
    assert_eq!((again.code, again.files.len()), (Some(0), 0), "{again}");
}

#[test]
fn keep_limits_each_measurement_to_its_last_commits() {
    let project = Project::empty();
    let append = "extract-perf-baseline --input run.csv --output base.csv --append --keep 2";
    for (commit, rows) in [
        ("c1", "A,h,c1,1\nB,h,c1,1\n"),
        ("c2", "A,h,c2,2\n"),
        ("c3", "A,h,c3,3\nA,k,c3,3\n"),
    ] {
        project.write("run.csv", format!("scenario,platform,commit,x\n{rows}"));
        project.run(&format!("{append} --measured-at 2031-03-0{}", &commit[1..]));
    }
    let rolled = "\
scenario,platform,commit,runIndex,x,measuredAt
B,h,c1,-1,1,2031-03-01T00:00:00Z
A,h,c2,-1,2,2031-03-02T00:00:00Z
A,h,c3,-1,3,2031-03-03T00:00:00Z
A,k,c3,-1,3,2031-03-03T00:00:00Z
";
    assert_eq!(project.text("base.csv"), rolled);
    let again = project.run(&format!("{append} --measured-at now"));
    assert_eq!(
        (again.code, &*project.text("base.csv")),
        (Some(0), rolled),
        "{again}"
    );
    for wrong in [
        "--keep 2",
        "--keep 2 --replace",
        "--append --keep 0",
        "--measured-at tomorrow",
    ] {
        let line = format!("extract-perf-baseline --input run.csv --output base.csv {wrong}");
        project.run(&line).assert_refused("", &[]);
    }
}

#[test]
fn rows_contain_the_methodology_from_the_config() {
    let project = two_rows().with("perf-gate.toml", "methodology = \"warm, 5 s\"\n");
    project.run(WRITE);
    project.edit("perf-gate.toml", "5 s", "10 s");
    project.run(&format!("{WRITE} --append --keep 1"));
    let text = project.text("base.csv");
    let methods: Vec<&str> = text
        .lines()
        .skip(1)
        .map(|row| row.splitn(9, ',').last().unwrap())
        .collect();
    assert_eq!(
        methods,
        [
            "\"warm, 5 s\"",
            "\"warm, 5 s\"",
            "\"warm, 10 s\"",
            "\"warm, 10 s\""
        ]
    );
}

#[test]
fn damaged_file_is_not_appended_to() {
    let project = two_rows().with(
        "base.csv",
        HEADER.to_owned() + &SMALL.replace("1250.000", "oops"),
    );
    project
        .run(&format!("{WRITE} --append"))
        .assert_refused("base.csv:2", &["oops", "--replace"]);
}

#[test]
fn input_without_rows_leaves_the_file_untouched() {
    let project = Project::empty()
        .with("base.csv", "precious")
        .with("empty.log", "")
        .with("prose.log", "nothing\nto\nsee, here\n");
    for flag in ["--replace", "--append"] {
        for input in ["empty.log", "prose.log", "prose.log empty.log"] {
            let outcome = project.run(&format!(
                "extract-perf-baseline --input {input} --output base.csv {flag}"
            ));
            outcome.assert_refused("", &input.split(' ').collect::<Vec<_>>());
        }
    }
}

#[test]
fn unwritable_output_is_reported_by_name() {
    let project = two_rows().with("folder/file", "");
    for output in ["folder --replace", "missing/base.csv"] {
        let outcome = project.run(&format!(
            "extract-perf-baseline --input run.log --output {output}"
        ));
        outcome.assert_refused("", &[output.split(' ').next().unwrap()]);
    }
}

/// Not even by root, who could write it.
#[test]
fn read_only_file_is_not_replaced() {
    let project = two_rows().with("base.csv", "precious");
    let set_read_only = |read_only: bool| {
        let mut permissions = std::fs::metadata(project.path("base.csv"))
            .unwrap()
            .permissions();
        permissions.set_readonly(read_only);
        std::fs::set_permissions(project.path("base.csv"), permissions).unwrap();
    };
    set_read_only(true);
    project
        .run(&format!("{WRITE} --replace"))
        .assert_refused("", &["base.csv"]);
    set_read_only(false);
}
