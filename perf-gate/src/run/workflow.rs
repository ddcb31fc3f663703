//! The workflow that measures pull requests, with the steps that install what the project needs.

use std::path::Path;

use super::Benchmark;
use super::benchmark::line;
use super::compared::quoted;

/// A kind of project, by the files in its folder, and the steps that its benchmark needs before it can run.
struct Ecosystem {
    /// The file that shows it.
    file: &'static str,
    /// The steps before the measurement, as YAML.
    steps: &'static [&'static str],
    /// The command that builds each side.
    build: Option<&'static str>,
}

const fn needs(file: &'static str, steps: &'static [&'static str], build: Option<&'static str>) -> Ecosystem {
    Ecosystem { file, steps, build }
}

/// The first of each language counts: a lock file says more than a manifest.
const ECOSYSTEMS: [&[Ecosystem]; 7] = [
    &[needs("Cargo.toml", &["uses: Swatinem/rust-cache@v2"], Some("cargo bench --no-run"))],
    &[needs("go.mod", &["uses: actions/setup-go@v6\nwith: { go-version-file: go.mod }"], None)],
    &[
        needs(
            "pnpm-lock.yaml",
            &[
                "uses: pnpm/action-setup@v4",
                "uses: actions/setup-node@v5\nwith: { node-version: lts/*, cache: pnpm }",
                "run: pnpm install --frozen-lockfile",
            ],
            None,
        ),
        needs(
            "yarn.lock",
            &[
                "uses: actions/setup-node@v5\nwith: { node-version: lts/*, cache: yarn }",
                "run: yarn install --immutable || yarn install --frozen-lockfile",
            ],
            None,
        ),
        needs(
            "package-lock.json",
            &["uses: actions/setup-node@v5\nwith: { node-version: lts/*, cache: npm }", "run: npm ci"],
            None,
        ),
        needs(
            "package.json",
            &["uses: actions/setup-node@v5\nwith: { node-version: lts/* }", "run: npm install"],
            None,
        ),
    ],
    &[
        needs("uv.lock", &["uses: astral-sh/setup-uv@v6", "run: uv sync --all-extras --all-groups"], None),
        needs(
            "poetry.lock",
            &[
                "run: pipx install poetry",
                "uses: actions/setup-python@v6\nwith: { python-version: 3.x, cache: poetry }",
                "run: poetry install",
            ],
            None,
        ),
        needs(
            "pyproject.toml",
            &[
                "uses: actions/setup-python@v6\nwith: { python-version: 3.x, cache: pip }",
                "run: pip install --editable . pytest pytest-benchmark",
            ],
            None,
        ),
    ],
    &[needs(
        "CMakeLists.txt",
        &[],
        Some("sh -c 'cmake -S . -B build -DCMAKE_BUILD_TYPE=Release && cmake --build build --parallel'"),
    )],
    &[
        needs(
            "pom.xml",
            &["uses: actions/setup-java@v5\nwith: { distribution: temurin, java-version: 21, cache: maven }"],
            Some("mvn --quiet -DskipTests package"),
        ),
        needs(
            "gradlew",
            &[
                "uses: actions/setup-java@v5\nwith: { distribution: temurin, java-version: 21, cache: gradle }",
            ],
            Some("./gradlew assemble"),
        ),
    ],
    &[needs("global.json", &["uses: actions/setup-dotnet@v5"], Some("dotnet build --configuration Release"))],
];

/// The workflow for a project in this folder.
pub(super) fn workflow(benchmark: &Benchmark, build: Option<&str>, folder: &Path) -> String {
    let found: Vec<&Ecosystem> = ECOSYSTEMS
        .iter()
        .filter_map(|language| language.iter().find(|one| folder.join(one.file).exists()))
        .collect();
    let steps = found.iter().flat_map(|one| one.steps);
    let steps: Vec<String> =
        steps.map(|step| format!("      - {}\n", step.replace('\n', "\n        "))).collect();
    let steps = steps.concat();
    // One build of several languages nobody can guess.
    let builds: Vec<&str> = found.iter().filter_map(|one| one.build).collect();
    let guessed = if let [one] = builds[..] { Some(one) } else { None };
    let mut with = vec![format!("run: {}", quoted(line(&benchmark.words)))];
    with.extend(build.or(guessed).map(|build| format!("build: {}", quoted(build))));
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
    use super::*;
    use crate::run::Surroundings;

    #[test]
    fn steps_install_what_the_project_needs() {
        let folder = tempfile::tempdir().unwrap();
        let benchmark = Benchmark {
            words: ["npx", "vitest", "bench"].map(Into::into).into(),
            output: None,
            format: None,
            baseline: "perf-baseline.csv".into(),
            platform: None,
            commit: None,
            place: Surroundings::default(),
        };
        let of = |build| workflow(&benchmark, build, folder.path());
        assert!(of(None).ends_with("@v0\n        with:\n          run: \"npx vitest bench\"\n"));
        for file in ["package.json", "package-lock.json"] {
            std::fs::write(folder.path().join(file), "{}").unwrap();
        }
        let text = of(None);
        assert!(
            text.contains("        with: { node-version: lts/*, cache: npm }\n      - run: npm ci\n"),
            "{text}"
        );
        assert!(!text.contains("build:") && of(Some("npm run build")).contains("build: \"npm run build\""));
        std::fs::write(folder.path().join("Cargo.toml"), "").unwrap();
        assert!(of(None).contains("build: \"cargo bench --no-run\""));
        std::fs::write(folder.path().join("CMakeLists.txt"), "").unwrap();
        assert!(!of(None).contains("build:"));
    }
}
