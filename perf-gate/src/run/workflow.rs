//! The workflow that measures pull requests, with the steps that install what the project needs.

use std::ffi::OsString;
use std::path::Path;

use perf_harness::Language;

use super::Benchmark;
use super::benchmark::line;
use super::compared::quoted;
use super::ecosystems::Project;

/// The command that builds what this one measures, as far as the files of the folder say.
pub(super) fn build(command: &[OsString], folder: &Path) -> Option<String> {
    let project = Project { folder, command };
    let found = project.ecosystems();
    let language = Language::of_command(command, folder);
    let own = found.iter().find(|one| found.len() == 1 || one.language == language)?;
    (own.build)(&project)
}

/// The workflow for a project in this folder.
pub(super) fn workflow(benchmark: &Benchmark, build: Option<&str>, folder: &Path) -> String {
    let project = Project { folder, command: &benchmark.words };
    let found = project.ecosystems();
    let steps = found.iter().flat_map(|one| (one.steps)(&project));
    let steps: Vec<String> =
        steps.map(|step| format!("      - {}\n", step.replace('\n', "\n        "))).collect();
    let steps = steps.concat();
    let mut with = vec![format!("run: {}", quoted(line(&benchmark.words)))];
    with.extend(build.map(|build| format!("build: {}", quoted(build))));
    with.extend(benchmark.output.iter().map(|path| format!("results: {}", quoted(path.to_string_lossy()))));
    format!("{HEAD}{steps}{MEASURE}          {}\n", with.join("\n          "))
}

const HEAD: &str = "\
name: perf
on: pull_request
permissions:
  contents: read
  pull-requests: write # to comment
concurrency:
  group: perf-${{ github.ref }}
  cancel-in-progress: true
jobs:
  perf:
    runs-on: ubuntu-24.04
    timeout-minutes: 30
    steps:
      - uses: actions/checkout@v5
        with:
          persist-credentials: false
";

const MEASURE: &str = "      - uses: perf-gate/perf-gate@v0
        with:
";

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// The lines of the project in the workflow for a command in a folder with these files.
    #[track_caller]
    fn lines(files: &[(&str, &str)], command: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        for (file, text) in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let benchmark = Benchmark {
            words: shell_words::split(command).unwrap().into_iter().map(Into::into).collect(),
            ..Benchmark::default()
        };
        let build = build(&benchmark.words, folder.path());
        let text = workflow(&benchmark, build.as_deref(), folder.path());
        text.strip_prefix(HEAD).unwrap().replace(MEASURE, "")
    }

    #[test]
    fn clean_clone_gets_what_the_project_names() {
        let go = lines(&[("go.mod", "module a\n")], "go test -bench .");
        assert!(go.contains("go-version: stable"), "{go}");
        let cargo = lines(&[("Cargo.toml", "")], "cargo bench --features x -- --noplot");
        assert!(cargo.contains("build: \"cargo bench --features x --no-run\""), "{cargo}");
        let manifest = "[project.optional-dependencies]\ntest = []\n[dependency-groups]\ndev = []\n";
        let files =
            [("pyproject.toml", manifest), ("requirements/dev.txt", ""), ("setup.py", "ext_modules=[]")];
        let pip = lines(&files, "pytest tests");
        let install =
            "pip install --editable '.[test]' --group dev -r requirements/dev.txt pytest pytest-benchmark\n";
        assert!(
            pip.contains(install) && pip.contains("build: \"pip install --no-deps --editable .\""),
            "{pip}"
        );
        let package = r#"{"scripts":{"build":"unbuild"}}"#;
        let files =
            [("pnpm-lock.yaml", ""), ("package.json", package), ("bench.mjs", "import \"../dist/a.mjs\"")];
        let pnpm = lines(&files, "node bench.mjs");
        assert!(
            pnpm.contains("with: { version: latest }") && pnpm.contains("build: \"pnpm run build\""),
            "{pnpm}"
        );
    }

    #[test]
    fn build_of_cmake_has_the_folder_and_the_options_of_the_local_one() {
        let cache =
            "my.benchmark:BOOL=ON\nother.benchmark:BOOL=OFF\nbenchmark_DIR:PATH=/usr/lib/cmake/benchmark\n";
        let files = [("CMakeLists.txt", ""), ("out/rel/CMakeCache.txt", cache)];
        let cmake = lines(&files, "./out/rel/bench/all");
        assert!(cmake.contains("apt-get install --yes libbenchmark-dev\n"), "{cmake}");
        assert!(
            cmake.contains("cmake -S . -B out/rel -DCMAKE_BUILD_TYPE=Release -Dmy.benchmark=ON &&"),
            "{cmake}"
        );
    }

    #[test]
    fn steps_install_what_the_project_needs() {
        let folder = tempfile::tempdir().unwrap();
        let benchmark =
            Benchmark { words: ["npx", "vitest", "bench"].map(Into::into).into(), ..Benchmark::default() };
        let of = |own: Option<&str>| {
            let guessed = build(&benchmark.words, folder.path());
            workflow(&benchmark, own.or(guessed.as_deref()), folder.path())
        };
        assert!(of(None).ends_with("@v0\n        with:\n          run: \"npx vitest bench\"\n"));
        for file in ["package.json", "package-lock.json"] {
            fs::write(folder.path().join(file), "{}").unwrap();
        }
        let text = of(None);
        assert!(
            text.contains("        with: { node-version: lts/*, cache: npm }\n      - run: npm ci\n"),
            "{text}"
        );
        assert!(!text.contains("build:") && of(Some("npm run build")).contains("build: \"npm run build\""));
        fs::write(folder.path().join("Cargo.toml"), "").unwrap();
        assert!(!of(None).contains("build:"), "the build of another language");
    }
}
