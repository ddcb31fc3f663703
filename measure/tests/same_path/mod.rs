//! Two commits at the path of the checkout, with real build tools. The code itself contains the printed times, so no test
//! depends on the speed of the machine. A test is skipped if its tool or private mounts are not available.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![expect(clippy::print_stderr, reason = "tests that are skipped say so")]

mod project;

use std::fs;
use std::path::Path;

use project::{Project, has};

/// Checks the results of an unchanged project, and of one with 20% higher cost.
fn unchanged_then_slower(project: &Project, file: &str, arguments: &[&str]) -> Option<()> {
    assert_eq!(
        project.measure(arguments)?,
        ["true", "false"],
        "unchanged: {}",
        project.said()
    );
    let code = project.read(file);
    project.write(file, &code.replace("1000", "1200"));
    assert_eq!(
        project.measure(arguments)?,
        ["true", "true"],
        "slower: {}",
        project.said()
    );
    Some(())
}

const PYTHON: &str =
    "import tiny\nprint('scenario,runIndex,timeNs')\nprint('work,0,%d' % tiny.cost())\n";

/// A Python package with an editable install in a virtual environment at `environment`.
fn editable(environment: impl Fn(&Path) -> std::path::PathBuf) -> Option<(Project, String)> {
    has("python3")?;
    let project = Project::new(".venv/\n__pycache__/\n");
    project.write("src/tiny/__init__.py", "def cost():\n    return 1000\n");
    project.write("bench.py", PYTHON);
    project.commit();
    let environment = environment(project.path());
    project.run(&[
        "python3",
        "-m",
        "venv",
        "--without-pip",
        &environment.to_string_lossy(),
    ]);
    let library = fs::read_dir(environment.join("lib"))
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let source = project.path().join("src");
    fs::write(
        library.join("site-packages/__editable__.tiny.pth"),
        source.to_string_lossy().as_bytes(),
    )
    .unwrap();
    Some((
        project,
        environment
            .join("bin/python")
            .to_string_lossy()
            .into_owned(),
    ))
}

#[test]
fn editable_install_outside_of_the_checkout_runs_each_sides_code() {
    let outside = tempfile::tempdir().unwrap();
    let Some((project, python)) = editable(|_| outside.path().join("venv")) else {
        return;
    };
    unchanged_then_slower(
        &project,
        "src/tiny/__init__.py",
        &["--", &python, "bench.py"],
    );
}

#[test]
fn editable_install_in_the_checkout_runs_each_sides_code() {
    let Some((project, _)) = editable(|root| root.join(".venv")) else {
        return;
    };
    unchanged_then_slower(
        &project,
        "src/tiny/__init__.py",
        &["--", ".venv/bin/python", "bench.py"],
    );
}

#[test]
fn two_paths_are_rejected_if_both_would_run_the_checkout() {
    let outside = tempfile::tempdir().unwrap();
    let Some((project, python)) = editable(|_| outside.path().join("venv")) else {
        return;
    };
    let output = project.pairs(&["--two-paths", "--", &python, "bench.py"]);
    assert_eq!(output.status.code(), Some(2), "{}", project.said());
    assert!(
        project
            .said()
            .contains("base and head would run the checkout's code"),
        "{}",
        project.said()
    );
    assert!(
        project
            .said()
            .contains("__editable__.tiny.pth` is an editable install"),
        "{}",
        project.said()
    );
}

/// `pip install .` copies the code, and the copy is the same for both sides.
#[test]
fn installed_copy_outside_of_the_checkout_is_inconclusive() {
    let outside = tempfile::tempdir().unwrap();
    let Some((project, python)) = editable(|_| outside.path().join("venv")) else {
        return;
    };
    let versions = fs::read_dir(outside.path().join("venv/lib")).unwrap();
    let library = versions.last().unwrap().unwrap().path();
    let packages = library.join("site-packages");
    fs::remove_file(packages.join("__editable__.tiny.pth")).unwrap();
    let [package, description] = ["tiny", "tiny-1.0.dist-info"].map(|name| packages.join(name));
    fs::create_dir(&package).unwrap();
    fs::create_dir(&description).unwrap();
    let code = project.read("src/tiny/__init__.py");
    fs::write(package.join("__init__.py"), &code).unwrap();
    let url = project.path().display();
    let source = format!(r#"{{"dir_info": {{}}, "url": "file://{url}"}}"#);
    fs::write(description.join("direct_url.json"), source).unwrap();
    fs::write(description.join("RECORD"), "tiny/__init__.py,,\n").unwrap();

    let command = ["--", &python, "bench.py"];
    let Some(unchanged) = project.measure(&command) else {
        return;
    };
    assert_eq!(unchanged, ["true", "false"], "{}", project.said());
    project.write("src/tiny/__init__.py", &code.replace("1000", "1200"));
    project.measure(&command);
    let advice = "install it with `pip install --editable`";
    assert!(project.said().contains(advice), "{}", project.said());

    let output = project.pairs(&["--two-paths", "--", &python, "bench.py"]);
    assert_eq!(output.status.code(), Some(2), "{}", project.said());
    assert!(
        project.said().contains("is an installed copy of it"),
        "{}",
        project.said()
    );
}

/// A Node.js package whose entry is a bundle that git ignores.
fn package() -> Option<Project> {
    has("node")?;
    let project = Project::new("node_modules/\ndist/\n");
    project.write(
        "package.json",
        r#"{"name":"tiny","main":"dist/index.js","scripts":{"build":"node build.js"}}"#,
    );
    project.write("src/index.js", "exports.cost = require('unit') * 1000;\n");
    project.write("build.js", "const fs = require('fs');\nfs.mkdirSync('dist', { recursive: true });\nfs.copyFileSync('src/index.js', 'dist/index.js');\n");
    project.write(
        "bench.js",
        "console.log('scenario,runIndex,timeNs\\nwork,0,' + require('.').cost);\n",
    );
    project.commit();
    project.write("node_modules/unit/index.js", "module.exports = 1;\n");
    project.run(&["node", "build.js"]);
    Some(project)
}

#[test]
#[ignore = "measures with Node.js many times: `.ci/run slow`"]
fn bundle_is_built_on_each_side() {
    let Some(project) = package() else { return };
    unchanged_then_slower(
        &project,
        "src/index.js",
        &["--build", "node build.js", "--", "node", "bench.js"],
    );
}

#[test]
#[ignore = "measures with Node.js many times: `.ci/run slow`"]
fn bundle_without_a_build_is_not_compared() {
    let Some(project) = package() else { return };
    let arguments = ["--", "node", "bench.js"];
    let Some(results) = project.measure(&arguments) else {
        return;
    };
    assert_eq!(results, ["true", "false"], "{}", project.said());
    project.write("src/index.js", "exports.cost = require('unit') * 1200;\n");
    // As if the head had been built before the measurement.
    project.run(&["node", "build.js"]);
    for (build, advice) in [
        (&[][..], "set `build`"),
        (&["--build", "true"], "`build` does not rebuild it"),
    ] {
        assert_eq!(
            project.measure(&[build, &arguments].concat()),
            Some(["false", "false"].map(str::to_owned))
        );
        let warning = format!(
            "base and head ran the same `dist/index.js`, so the change was not measured; {advice}"
        );
        assert!(project.said().contains(&warning), "{}", project.said());
    }
    // Output that the benchmark itself writes does not mean that the bundle is up to date.
    project.write("dist/log.js", "");
    let script = "echo >>dist/log.js; node bench.js";
    assert_eq!(
        project.measure(&["--", "sh", "-c", script]),
        Some(["false", "false"].map(str::to_owned)),
        "{}",
        project.said()
    );
    fs::remove_file(project.path().join("dist/log.js")).unwrap();
    // A change of text files does not affect the bundle.
    project.write("src/index.js", "exports.cost = require('unit') * 1000;\n");
    project.write("README.md", "Documentation\n");
    project.run(&["git", "add", "README.md"]);
    assert_eq!(
        project.measure(&arguments).unwrap(),
        ["true", "false"],
        "{}",
        project.said()
    );
}

#[test]
fn cmake_folder_is_rebuilt_on_each_side() {
    if has("cmake").and(has("cc")).is_none() {
        return;
    }
    let project = Project::new("build/\n");
    let rules =
        "cmake_minimum_required(VERSION 3.10)\nproject(tiny C)\nadd_executable(bench bench.c)\n";
    project.write("CMakeLists.txt", rules);
    let code = "#include <stdio.h>\nint main(void) { puts(\"scenario,runIndex,timeNs\\nwork,0,1000\"); }\n";
    project.write("bench.c", code);
    project.commit();
    project.run(&["cmake", "-B", "build"]);
    project.run(&["cmake", "--build", "build"]);
    let arguments = ["--build", "cmake --build build", "--", "build/bench"];
    unchanged_then_slower(&project, "bench.c", &arguments);
    let without_build = || {
        project.run(&["cmake", "--build", "build"]);
        assert_eq!(
            project.measure(&["--", "build/bench"]),
            Some(["false", "false"].map(str::to_owned))
        );
        assert!(
            project
                .said()
                .contains("base and head ran the same `build/bench`"),
            "{}",
            project.said()
        );
    };
    without_build();
    project.write("bench.c", code);
    project.write(
        "CMakeLists.txt",
        &format!("{rules}target_compile_options(bench PRIVATE -O2)\n"),
    );
    without_build();
}

#[test]
fn equal_programs_of_different_sources_are_unchanged() {
    let Some(project) = program("build/\n", "add_executable(bench bench.c cost.c)\n") else {
        return;
    };
    project.run(&["cmake", "-B", "build"]);
    project.write("cost.c", "int cost(void) { return 1000; } // as before\n");
    let build = ["--build", "cmake --build build", "--", "build/bench"];
    let Some(results) = project.measure(&build) else {
        return;
    };
    assert_eq!(results, ["true", "false"], "{}", project.said());
}

#[test]
fn benchmark_library_is_recognised_in_a_program_that_was_never_built_outside_of_the_build() {
    let project = Project::new("build/\n");
    project.write(
        "bench.sh",
        "#!/bin/sh\ncase \"$*\" in *--benchmark_format=json*) ;; *) echo unreadable; exit ;; esac\n\
         echo '{\"context\": {}, \"benchmarks\": [{\"name\": \"work\", \"run_type\": \"iteration\", \"iterations\": 1, '\
         '\"real_time\": 1000, \"cpu_time\": 1000, \"time_unit\": \"ns\"}]}' # benchmark_filter\n",
    );
    project.commit();
    let build = "install -D -m 755 bench.sh build/bench";
    let Some(results) = project.measure(&["--build", build, "--", "build/bench"]) else {
        return;
    };
    assert_eq!(results, ["true", "false"], "{}", project.said());
    let added = "Google Benchmark: added";
    assert!(project.said().contains(added), "{}", project.said());
}

#[test]
fn program_that_a_makefile_does_not_rebuild_is_not_compared() {
    if has("make").and(has("cc")).is_none() {
        return;
    }
    let project = Project::new("bench\n");
    project.write("Makefile", "bench: bench.c\n\tcc -o bench bench.c\n");
    project.write(
        "bench.c",
        "#include <stdio.h>\n#include \"cost.h\"\nint main(void) { printf(\"scenario,runIndex,timeNs\\nwork,0,%d\\n\", COST); }\n",
    );
    project.write("cost.h", "#define COST 1000\n");
    project.commit();
    project.run(&["make"]);
    project.write("cost.h", "#define COST 1200\n");
    let arguments = ["--build", "make", "--", "./bench"];
    let Some(results) = project.measure(&arguments) else {
        return;
    };
    assert_eq!(results, ["false", "false"], "{}", project.said());
    let warning = "base and head ran the same `bench`, so the change was not measured; `build` does not rebuild it";
    assert!(project.said().contains(warning), "{}", project.said());
    // Without the outdated program, both sides build their own.
    fs::remove_file(project.path().join("bench")).unwrap();
    assert_eq!(
        project.measure(&arguments).unwrap(),
        ["true", "true"],
        "{}",
        project.said()
    );
}

#[test]
fn cmake_build_of_another_checkout_is_rejected() {
    let rules = "add_executable(bench bench.c cost.c)\n";
    let Some((project, other)) = program("build/\n", rules).zip(program("", rules)) else {
        return;
    };
    let sources = other.path().to_str().unwrap();
    project.run(&["cmake", "-S", sources, "-B", "build"]);
    project.run(&["cmake", "--build", "build"]);
    project.write("cost.c", "int cost(void) { return 1200; }\n");
    let build = ["--build", "cmake --build build", "--", "build/bench"];
    for arguments in [&build[..], &build[2..]] {
        let output = project.pairs(arguments);
        if project.said().contains("base and head run at two paths") {
            return;
        }
        assert_eq!(output.status.code(), Some(2), "{}", project.said());
        let why = format!("base and head would run the code of `{sources}`: CMake configured");
        assert!(project.said().contains(&why), "{}", project.said());
    }
}

#[test]
fn program_that_both_builds_write_outside_of_the_checkout_is_rejected() {
    let outside = tempfile::tempdir().unwrap();
    let program = outside.path().join("bench.sh");
    let program = program.to_str().unwrap();
    let project = Project::new("");
    project.write(
        "bench.sh",
        "echo scenario,runIndex,timeNs; echo work,0,1000\n",
    );
    project.commit();
    project.write(
        "bench.sh",
        "echo scenario,runIndex,timeNs; echo work,0,1200\n",
    );
    let build = format!("cp bench.sh {program}");
    for way in [&[][..], &["--two-paths"]] {
        let arguments = [way, &["--build", &build, "--", "sh", program]].concat();
        let output = project.pairs(&arguments);
        assert_eq!(output.status.code(), Some(2), "{}", project.said());
        let why = format!("base and head would run the same `{program}`");
        assert!(project.said().contains(&why), "{}", project.said());
    }
}

/// A program with two source files. Git ignores its build directory.
fn program(ignored: &str, rules: &str) -> Option<Project> {
    has("cmake").and(has("cc"))?;
    let project = Project::new(ignored);
    project.write(
        "CMakeLists.txt",
        &format!("cmake_minimum_required(VERSION 3.10)\nproject(tiny C)\n{rules}"),
    );
    let code = "#include <stdio.h>\nint cost(void);\nint main(void) { printf(\"scenario,runIndex,timeNs\\nwork,0,%d\\n\", cost()); }\n";
    project.write("bench.c", code);
    project.write("cost.c", "int cost(void) { return 1000; }\n");
    project.commit();
    Some(project)
}

const LOGGED: [&str; 4] = [
    "--build",
    "sh -c 'cmake -B build && cmake --build build -- VERBOSE=1'",
    "--",
    "build/bench",
];

#[test]
fn base_is_built_on_top_of_the_head() {
    let rules = "set(CMAKE_C_COMPILER_LAUNCHER \"${CMAKE_SOURCE_DIR}/note\")\nadd_executable(bench bench.c cost.c)\n";
    let Some(project) = program("build/\n", rules) else {
        return;
    };
    let log = tempfile::tempdir().unwrap();
    let log = log.path().join("compiled");
    project.write(
        "note",
        &format!(
            "#!/bin/sh\nfor word; do case $word in *.c) echo $word;; esac; done >>{}\nexec \"$@\"\n",
            log.display()
        ),
    );
    project.run(&["chmod", "+x", "note"]);
    project.commit();
    let slower = project.read("cost.c").replace("1000", "1200");
    project.write("cost.c", &slower);
    let Some(results) = project.measure(&LOGGED) else {
        return;
    };
    assert_eq!(results, ["true", "true"], "{}", project.said());
    let compiled = fs::read_to_string(&log).unwrap();
    let count = |name: &str| compiled.lines().filter(|line| line.ends_with(name)).count();
    // The source file that did not change is compiled once.
    assert_eq!([count("/bench.c"), count("/cost.c")], [1, 2], "{compiled}");
    assert!(!project.path().join("build").exists());
}

#[test]
fn base_is_built_from_scratch_if_it_would_run_the_heads_code() {
    // The build tool does not know the program's dependencies.
    let rules = "add_custom_command(OUTPUT bench COMMAND cc -o bench ${CMAKE_SOURCE_DIR}/bench.c ${CMAKE_SOURCE_DIR}/cost.c)\n\
                 add_custom_target(all_of_it ALL DEPENDS bench)\n";
    let Some(project) = program("build/\n", rules) else {
        return;
    };
    project.write("cost.c", "int cost(void) { return 1200; }\n");
    let Some(results) = project.measure(&LOGGED) else {
        return;
    };
    assert_eq!(results, ["true", "true"], "{}", project.said());
    assert!(
        project.said().contains("from scratch: on top of"),
        "{}",
        project.said()
    );
}

#[test]
fn base_is_built_from_scratch_if_the_heads_build_breaks_it() {
    // The project can only be configured once.
    let rules = "if(EXISTS ${CMAKE_BINARY_DIR}/once)\nmessage(FATAL_ERROR \"once\")\nendif()\n\
                 file(WRITE ${CMAKE_BINARY_DIR}/once \"\")\nadd_executable(bench bench.c cost.c)\n";
    let Some(project) = program("build/\n", rules) else {
        return;
    };
    project.write("cost.c", "int cost(void) { return 1200; }\n");
    let Some(results) = project.measure(&LOGGED) else {
        return;
    };
    assert_eq!(results, ["true", "true"], "{}", project.said());
    assert!(
        project
            .said()
            .contains("from scratch: it does not build on top of"),
        "{}",
        project.said()
    );
}

/// A project with unchanged code, but a benchmark that takes three times as long, and has a deleted and an added file.
fn slower_benchmark() -> Project {
    let project = Project::new("out\n");
    project.write("perf-gate.toml", "[harness]\npaths = [\"bench/\"]\n");
    project.write("cost", "1000\n");
    project.write("bench/times", "1\n");
    project.write(
        "bench/run.sh",
        "echo scenario,runIndex,timeNs\necho work,0,$(($(cat cost) * $(cat bench/times)))\n",
    );
    project.commit();
    project.write("bench/run.sh", "test -e bench/times && exit 1\necho scenario,runIndex,timeNs\necho work,0,$(($(cat cost) * $(cat bench/new/times)))\n");
    project.write("bench/new/times", "3\n");
    fs::remove_file(project.path().join("bench/times")).unwrap();
    project
}

#[test]
fn heads_benchmark_judges_only_the_code() {
    let project = slower_benchmark();
    let command = ["--", "sh", "bench/run.sh"];
    for way in [&[][..], &["--two-paths"]] {
        let measured = |options: &[&str]| {
            let output = project.pairs(&[way, options, &command].concat());
            assert_eq!(output.status.code(), Some(0), "{}", project.said());
            String::from_utf8_lossy(&output.stdout).into_owned()
        };
        assert!(
            measured(&[]).contains("concluded=false"),
            "{}",
            project.said()
        );
        let both = measured(&["--harness-from", "current"]);
        assert!(
            both.ends_with("concluded=true\nregressed=false\n"),
            "{both} {}",
            project.said()
        );
        let rows = project.read("base.csv");
        assert!(
            rows.contains("3000") && rows.contains("both sides with the current benchmark"),
            "{rows}"
        );
        project.write("cost", "1200\n");
        let slower = measured(&["--harness-from", "current"]);
        assert!(
            slower.ends_with("concluded=true\nregressed=true\n"),
            "{slower} {}",
            project.said()
        );
        project.write("cost", "1000\n");
    }
    // The checkout is unchanged.
    assert!(!project.path().join("bench/times").exists());
    assert_eq!(project.read("bench/new/times"), "3\n");
}

#[test]
fn benchmark_of_a_commit_is_copied_to_another() {
    let project = slower_benchmark();
    let base = project.head();
    project.commit();
    project.write(
        "perf-gate.toml",
        "[harness]\npaths = [\"bench/\"]\nfrom = \"current\"\n",
    );
    let commits = ["--base-ref", &*base, "--current-ref", "HEAD"];
    let command = ["--", "sh", "bench/run.sh"];
    let Some(results) = project.measure(&[&commits[..], &command].concat()) else {
        return;
    };
    assert_eq!(results, ["true", "false"], "{}", project.said());
    project.write("perf-gate.toml", "");
    let options = [&["--harness-from", "current"][..], &command].concat();
    assert_eq!(project.pairs(&options).status.code(), Some(2));
    assert!(
        project.said().contains("`[harness]` lists no files"),
        "{}",
        project.said()
    );
}

#[test]
fn base_has_its_own_files_and_the_ignored_ones() {
    let project = Project::new("cache\nout.csv\n");
    let script = "echo scenario,runIndex,timeNs >out.csv\n\
        for file in ../cache ../gone ../added ../untracked new; do test -e $file && echo $file,0,1 >>out.csv; done\n\
        echo $(git rev-parse HEAD),0,1 >>out.csv; touch new\n";
    project.write("sub/bench.sh", script);
    project.write("gone", "");
    project.commit();
    let head = project.head();
    project.write("cache", "");
    project.write("added", "");
    project.run(&["git", "rm", "--quiet", "gone"]);
    project.run(&["git", "add", "added"]);
    project.write("untracked", "");
    let arguments = [
        "--time-limit",
        "5s",
        "--output-of",
        "out.csv",
        "--",
        "sh",
        "bench.sh",
    ];
    if project.measure_in("sub", &arguments).is_none() {
        return;
    }
    let names = |file: &str| {
        let rows = project.read(&format!("sub/{file}"));
        let last = rows
            .lines()
            .last()
            .unwrap()
            .split(',')
            .nth(3)
            .unwrap()
            .to_owned();
        let rows = rows
            .lines()
            .filter(|row| row.split(',').nth(3) == Some(&last));
        rows.map(|row| row.split(',').next().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    // The warm-up run wrote a file for later process runs.
    assert_eq!(names("base.csv"), ["../cache", "../gone", "new", &head]);
    assert_eq!(
        names("current.csv"),
        ["../cache", "../added", "../untracked", "new", &head]
    );
    assert!(
        !project.path().join("sub/new").exists() && !project.path().join("sub/out.csv").exists()
    );
}

#[test]
fn change_within_a_second_of_the_commit_is_detected() {
    // Try twice, because a change in the next second would be detected anyway.
    for _ in 0..2 {
        let project = Project::new("");
        project.write(
            "bench.sh",
            "echo scenario,runIndex,timeNs; echo work,0,$(cat speed)\n",
        );
        project.write("speed", "1000\n");
        project.commit();
        project.write("speed", "1200\n");
        // A new copy of the index is newer than the change, but the original index is not.
        std::thread::sleep(std::time::Duration::from_millis(1_100));
        let Some(results) = project.measure(&["--", "sh", "bench.sh"]) else {
            return;
        };
        assert_eq!(results, ["true", "true"], "{}", project.said());
    }
}

#[test]
fn worktree_keeps_its_head() {
    let main = Project::new("");
    main.write(
        "bench.sh",
        "echo scenario,runIndex,timeNs; echo work,0,1000\n",
    );
    main.commit();
    main.run(&["git", "worktree", "add", "--quiet", "-b", "other", "linked"]);
    main.write(
        "linked/bench.sh",
        "echo scenario,runIndex,timeNs; echo work,0,1200\n",
    );
    let Some(results) = main.measure_in("linked", &["--", "sh", "bench.sh"]) else {
        return;
    };
    assert_eq!(results, ["true", "true"], "{}", main.said());
    let head = fs::read_to_string(main.path().join(".git/worktrees/linked/HEAD")).unwrap();
    assert_eq!(head, "ref: refs/heads/other\n");
}

#[test]
fn base_without_its_modules_is_an_error_with_a_hint() {
    let project = Project::new("");
    project.write("package-lock.json", "{}");
    project.write(
        "bench.sh",
        "echo \"Cannot find module 'left-pad'\" >&2; exit 1\n",
    );
    project.commit();
    project.write(
        "bench.sh",
        "echo scenario,runIndex,timeNs; echo work,0,1000\n",
    );
    let output = project.pairs(&["--base-may-lack", "--", "sh", "bench.sh"]);
    assert_eq!(output.status.code(), Some(2), "{}", project.said());
    for said in [
        "the base (",
        "does not run",
        "Cannot find module 'left-pad'",
        "`--build 'npm ci'`",
    ] {
        assert!(project.said().contains(said), "{said}: {}", project.said());
    }
    project.write(
        "other.sh",
        "echo scenario,runIndex,timeNs; echo work,0,1000\n",
    );
    let output = project.pairs(&[
        "--base-may-lack",
        "--time-limit",
        "1s",
        "--",
        "sh",
        "other.sh",
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", project.said());
    assert!(
        project
            .said()
            .contains("the base was not measured: it has no `other.sh`"),
        "{}",
        project.said()
    );
}

#[test]
fn signals_and_the_time_limit_end_builds_and_launches() {
    let project = Project::new("");
    project.write("bench.sh", "sleep 600\n");
    project.commit();
    let build = ["--build", "sh -c 'sleep 600; true'", "--", "sh", "bench.sh"];
    for (signal, paths) in [
        ("-INT", None),
        ("-TERM", None),
        ("-TERM", Some("--two-paths")),
    ] {
        let arguments: Vec<&str> = paths.into_iter().chain(build).collect();
        project.signalled(signal, "building the base", &arguments);
        assert!(
            project.said().contains("error: interrupted"),
            "{signal} {}",
            project.said()
        );
    }
    let output = project.pairs(&["--time-limit", "0.5s", "--", "sh", "bench.sh"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        project
            .said()
            .contains("no pair was measured within the time limit"),
        "{}",
        project.said()
    );
}
