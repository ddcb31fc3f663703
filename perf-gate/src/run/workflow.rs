//! The workflow for pull requests, with the project's setup steps.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use perf_cli::git::Git;

use super::Benchmark;
use super::benchmark::line;

/// The place of a project in its repository.
#[derive(Clone, Debug, Default)]
pub(super) struct Location {
    /// The path from the project up to the repository's root, empty or ending with `/`.
    up: String,
    /// The path from the repository's root to the project, empty or ending with `/`.
    pub(super) down: String,
    has_submodules: bool,
}

impl Location {
    /// The location of the current folder.
    pub(super) fn here() -> Self {
        let ask = |option: &str| {
            let path = Git::here().ask(&["rev-parse", option]);
            path.unwrap_or_default().trim().to_owned()
        };
        let up = ask("--show-cdup");
        Self {
            has_submodules: Path::new(&up).join(".gitmodules").is_file(),
            up,
            down: ask("--show-prefix"),
        }
    }

    /// The workflow file, relative to the project.
    pub(super) fn workflow_path(&self) -> PathBuf {
        Path::new(&self.up).join(".github/workflows/perf.yml")
    }
}

/// Renders the workflow with a project's setup steps and build command.
pub(super) fn render(
    benchmark: &Benchmark,
    steps: &[String],
    build: Option<&str>,
    location: &Location,
) -> String {
    let subfolder = quoted(location.down.trim_end_matches('/'));
    let is_subfolder = !location.down.is_empty();
    let mut text = HEAD.to_owned();
    if is_subfolder {
        let _ = writeln!(
            text,
            "    defaults:\n      run:\n        working-directory: {subfolder}"
        );
    }
    text += CHECKOUT;
    if location.has_submodules {
        text += "          submodules: true\n";
    }
    for step in steps {
        let _ = writeln!(text, "      - {}", step.replace('\n', "\n        "));
    }
    text += MEASURE;
    let command = quoted(line(&benchmark.words));
    let _ = writeln!(text, "          run: {command}");
    if let Some(build) = build {
        let _ = writeln!(text, "          build: {}", quoted(build));
    }
    if let Some(path) = &benchmark.output {
        let path = quoted(path.to_string_lossy());
        let _ = writeln!(text, "          results: {path}");
    }
    if is_subfolder {
        let _ = writeln!(text, "          working-directory: {subfolder}");
    }
    text
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
";

const CHECKOUT: &str = "    steps:
      - uses: actions/checkout@v5
        with:
          persist-credentials: false
";

const MEASURE: &str = "      - uses: perf-gate/perf-gate@v0
        with:
";

/// Quotes a text as JSON, which TOML and YAML read as well.
pub(super) fn quoted(text: impl AsRef<str>) -> String {
    serde_json::Value::from(text.as_ref()).to_string()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::ecosystems::Project;
    use super::*;

    fn setup(
        benchmark: &Benchmark,
        folder: &Path,
        location: &Location,
    ) -> (Vec<String>, Option<String>) {
        let project = Project {
            folder,
            command: &benchmark.words,
            prefix: &location.down,
        };
        project.setup()
    }

    /// The project's lines in the workflow.
    fn lines(command: &str, files: &[(&str, &str)]) -> String {
        let folder = tempfile::tempdir().unwrap();
        for (file, text) in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(
                path,
                text.replace("{folder}", folder.path().to_str().unwrap()),
            )
            .unwrap();
        }
        let words = shell_words::split(command)
            .unwrap()
            .into_iter()
            .map(Into::into)
            .collect();
        let benchmark = Benchmark {
            words,
            ..Benchmark::default()
        };
        let location = Location::default();
        let (steps, build) = setup(&benchmark, folder.path(), &location);
        let text = render(&benchmark, &steps, build.as_deref(), &location);
        let steps = text
            .strip_prefix(HEAD)
            .unwrap()
            .strip_prefix(CHECKOUT)
            .unwrap();
        steps.replace(MEASURE, "")
    }

    #[expect(clippy::too_many_lines, reason = "a table of projects")]
    #[test]
    fn steps_install_and_build_each_kind_of_project() {
        let built = [
            ("package.json", r#"{"scripts":{"build":"unbuild"}}"#),
            ("b.mjs", "import \"../dist/a.mjs\""),
        ];
        let folder = [
            ("package.json", built[0].1),
            ("b.mjs", "require('../dist').set"),
        ];
        let script = |lock| [&built[..], &[(lock, "")]].concat();
        let extras = "[project.optional-dependencies]\ntest = []\n[dependency-groups]\ndev = []\n";
        let cache = "my.benchmark:BOOL=ON\nother.benchmark:BOOL=OFF\nbenchmark_DIR:PATH=/usr/lib/cmake/benchmark\n";
        let projects = [
            lines(
                "cargo bench --features x -- --noplot",
                &[("Cargo.toml", "")],
            ),
            lines("go test -bench .", &[("go.mod", "module a\ngo 1.24\n")]),
            lines("node b.mjs", &script("pnpm-lock.yaml")),
            lines("node b.mjs", &script("yarn.lock")),
            lines("node b.mjs", &script("package-lock.json")),
            lines("node b.mjs", &folder),
            lines("npx vitest bench", &[("package.json", "{}")]),
            lines(
                "pytest --codspeed",
                &[("pyproject.toml", ""), ("uv.lock", "")],
            ),
            lines(
                "pytest b",
                &[
                    ("pyproject.toml", "requires = ['Cython']"),
                    ("poetry.lock", ""),
                ],
            ),
            lines(
                "pytest b",
                &[
                    ("pyproject.toml", extras),
                    ("requirements/dev.txt", ""),
                    ("setup.py", "ext_modules=[]"),
                ],
            ),
            lines("pytest --codspeed", &[("pyproject.toml", "")]),
            lines(
                "./out/rel/bench/all",
                &[("CMakeLists.txt", ""), ("out/rel/CMakeCache.txt", cache)],
            ),
            // Built by Make, not CMake.
            lines("./bench", &[("CMakeLists.txt", ""), ("Makefile", "")]),
            lines("java -jar target/benchmarks.jar", &[("pom.xml", "")]),
            lines("java -jar b/build/libs/b-jmh.jar", &[("gradlew", "")]),
            lines(
                "dotnet run -c Release",
                &[("global.json", "{}"), ("A.sln", "")],
            ),
            lines("dotnet run -c Release", &[("A.csproj", "")]),
            // Only the command's language is set up.
            lines(
                "npx vitest bench",
                &[("Cargo.toml", ""), ("package.json", "{}"), (".nvmrc", "22")],
            ),
            lines(
                "go test -bench .",
                &[("go.mod", "module a\n"), ("package-lock.json", "{}")],
            ),
            lines(
                "python -m pytest b",
                &[
                    ("pyproject.toml", ""),
                    ("package.json", ""),
                    (".python-version", "3.12"),
                ],
            ),
            lines(
                "./build/b",
                &[
                    ("CMakeLists.txt", ""),
                    ("build/CMakeCache.txt", ""),
                    ("package.json", "{}"),
                ],
            ),
            lines("./bench.sh", &[]),
            lines(
                "node b.mjs",
                &[
                    ("package.json", r#"{"packageManager": "pnpm@9.1.0"}"#),
                    ("pnpm-lock.yaml", ""),
                ],
            ),
            lines(
                "tests/bin/all",
                &[(
                    "tests/CMakeCache.txt",
                    "CMAKE_HOME_DIRECTORY:INTERNAL={folder}/tests",
                )],
            ),
            // Configured for another checkout.
            lines(
                "out/all",
                &[("out/CMakeCache.txt", "CMAKE_HOME_DIRECTORY:INTERNAL=/other")],
            ),
        ];
        insta::assert_snapshot!(projects.join("\n"), @r#"
        - uses: Swatinem/rust-cache@v2
            run: "cargo bench --features x -- --noplot"
            build: "cargo bench --features x --no-run"

        - uses: actions/setup-go@v6
          with: { go-version-file: go.mod }
            run: "go test -bench ."

        - uses: pnpm/action-setup@v4
          with: { version: latest }
        - uses: actions/setup-node@v5
          with: { node-version: lts/*, cache: pnpm }
        - run: pnpm install --frozen-lockfile
            run: "node b.mjs"
            build: "pnpm run build"

        - run: corepack enable
        - uses: actions/setup-node@v5
          with: { node-version: lts/*, cache: yarn }
        - run: yarn install --immutable || yarn install --frozen-lockfile
            run: "node b.mjs"
            build: "yarn run build"

        - uses: actions/setup-node@v5
          with: { node-version: lts/*, cache: npm }
        - run: npm ci
            run: "node b.mjs"
            build: "npm run build"

        - uses: actions/setup-node@v5
          with: { node-version: lts/* }
        - run: npm install
            run: "node b.mjs"
            build: "npm run build"

        - uses: actions/setup-node@v5
          with: { node-version: lts/* }
        - run: npm install
            run: "npx vitest bench"

        - uses: astral-sh/setup-uv@v6
        - run: uv sync --all-extras --all-groups
        - run: echo "$PWD/.venv/bin" >> "$GITHUB_PATH"
            run: "pytest --codspeed"

        - run: pipx install poetry
        - uses: actions/setup-python@v6
          with: { python-version: 3.x, cache: poetry }
        - run: poetry install --all-extras
        - run: echo "$(poetry env info --path)/bin" >> "$GITHUB_PATH"
            run: "pytest b"
            build: "poetry install"

        - uses: actions/setup-python@v6
          with: { python-version: 3.x, cache: pip }
        - run: pip install --editable '.[test]' --group dev -r requirements/dev.txt pytest pytest-benchmark
            run: "pytest b"
            build: "pip install --no-deps --editable ."

        - uses: actions/setup-python@v6
          with: { python-version: 3.x, cache: pip }
        - run: pip install --editable . pytest pytest-codspeed
            run: "pytest --codspeed"

        - run: sudo apt-get update && sudo apt-get install --yes libbenchmark-dev
            run: "./out/rel/bench/all"
            build: "sh -c 'cmake -S . -B out/rel -DCMAKE_BUILD_TYPE=Release -Dmy.benchmark=ON && cmake --build out/rel --parallel 4'"

            run: "./bench"

        - uses: actions/setup-java@v5
          with: { distribution: temurin, java-version: 21, cache: maven }
            run: "java -jar target/benchmarks.jar"
            build: "mvn --quiet -DskipTests package"

        - uses: actions/setup-java@v5
          with: { distribution: temurin, java-version: 21, cache: gradle }
            run: "java -jar b/build/libs/b-jmh.jar"
            build: "./gradlew jmhJar"

        - uses: actions/setup-dotnet@v5
            run: "dotnet run -c Release"
            build: "dotnet build --configuration Release"

            run: "dotnet run -c Release"
            build: "dotnet build --configuration Release"

        - uses: actions/setup-node@v5
          with: { node-version-file: .nvmrc }
        - run: npm install
            run: "npx vitest bench"

        - uses: actions/setup-go@v6
          with: { go-version-file: go.mod }
            run: "go test -bench ."

        - uses: actions/setup-python@v6
          with: { python-version-file: .python-version, cache: pip }
        - run: pip install --editable . pytest pytest-benchmark
            run: "python -m pytest b"

            run: "./build/b"
            build: "sh -c 'cmake -S . -B build -DCMAKE_BUILD_TYPE=Release && cmake --build build --parallel 4'"

            run: "./bench.sh"

        - uses: pnpm/action-setup@v4
        - uses: actions/setup-node@v5
          with: { node-version: lts/*, cache: pnpm }
        - run: pnpm install --frozen-lockfile
            run: "node b.mjs"

            run: "tests/bin/all"
            build: "sh -c 'cmake -S tests -B tests -DCMAKE_BUILD_TYPE=Release && cmake --build tests --parallel 4'"

            run: "out/all"
        "#);
    }

    #[test]
    fn given_build_is_in_workflow() {
        let benchmark = Benchmark {
            words: vec!["./bench".into()],
            ..Benchmark::default()
        };
        let location = Location::default();
        let text = render(&benchmark, &[], Some("make"), &location);
        let with = "        with:\n          run: \"./bench\"\n          build: \"make\"\n";
        assert!(text.ends_with(with), "{text}");
    }

    #[test]
    fn subfolder_project_is_measured_in_its_folder() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("go.mod"), "module a\ngo 1.24\n").unwrap();
        let benchmark = Benchmark {
            words: ["go", "test", "-bench", "."].map(Into::into).into(),
            ..Benchmark::default()
        };
        let location = Location {
            up: "../../".to_owned(),
            down: "libs/parse/".to_owned(),
            has_submodules: true,
        };
        let (steps, _) = setup(&benchmark, folder.path(), &location);
        let text = render(&benchmark, &steps, None, &location);
        insta::assert_snapshot!(text.split_once("runs-on").unwrap().1, @r#"
        : ubuntu-24.04
            timeout-minutes: 30
            defaults:
              run:
                working-directory: "libs/parse"
            steps:
              - uses: actions/checkout@v5
                with:
                  persist-credentials: false
                  submodules: true
              - uses: actions/setup-go@v6
                with: { go-version-file: libs/parse/go.mod }
              - uses: perf-gate/perf-gate@v0
                with:
                  run: "go test -bench ."
                  working-directory: "libs/parse"
        "#);
        assert_eq!(
            location.workflow_path(),
            Path::new("../../.github/workflows/perf.yml")
        );
    }
}
