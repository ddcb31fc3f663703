//! The workflow for pull requests: the setup steps and the build that a project's benchmark needs in a clean clone.

use std::ffi::OsString;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use measure::bench_tools::{BenchTool, Language};
use perf_cli::git::Git;

use super::Benchmark;
use super::benchmark::line;

/// A project's folder and its benchmark command.
pub struct Project<'p> {
    pub folder: &'p Path,
    pub command: &'p [OsString],
    /// The path from the repository's root to the folder, empty or ending with `/`.
    pub prefix: &'p str,
}

/// The files that identify a project's language. `*END` matches any file name with this suffix.
const MANIFESTS: [(Language, &[&str]); 7] = [
    (Language::Cargo, &["Cargo.toml"]),
    (Language::Go, &["go.mod"]),
    (Language::JavaScript, &["package.json"]),
    (Language::Python, &["pyproject.toml"]),
    (Language::Native, &["CMakeLists.txt"]),
    (Language::Jvm, &["pom.xml", "gradlew"]),
    (
        Language::DotNet,
        &["global.json", "*.slnx", "*.sln", "*.csproj"],
    ),
];

/// Words in a Python project's files which show that it contains compiled modules.
const COMPILERS: [&str; 6] = [
    "cython",
    "maturin",
    "scikit-build",
    "meson",
    "setuptools-rust",
    "ext_modules",
];

/// Usual names of the extras, dependency groups and requirements files that list test dependencies.
const TEST_PACKAGES: [&str; 6] = ["bench", "benchmark", "test", "tests", "testing", "dev"];
const REQUIREMENTS: [&str; 4] = [
    "requirements/dev.txt",
    "requirements-dev.txt",
    "requirements/test.txt",
    "requirements-test.txt",
];

impl Project<'_> {
    /// Returns the setup steps as YAML, and the command that builds base and head, if they need a build.
    pub fn setup(&self) -> (Vec<String>, Option<String>) {
        let mut steps = Vec::new();
        if self.command.first().is_some_and(|word| word == "hyperfine") {
            steps.push(install("hyperfine"));
        }
        let (own, build) = match self.language() {
            None => return (steps, None),
            Some(Language::Cargo) => {
                let cache = "uses: Swatinem/rust-cache@v2".to_owned();
                (vec![cache], Some(self.cargo_build()))
            }
            Some(Language::Go) => {
                let version = format!("go-version-file: {}go.mod", self.prefix);
                let setup = format!("uses: actions/setup-go@v6\nwith: {{ {version} }}");
                (vec![setup], None)
            }
            Some(Language::JavaScript) => self.javascript_setup(),
            Some(Language::Python) => self.python_setup(),
            Some(Language::Native) => self.cmake_setup(),
            Some(Language::Jvm) => self.jvm_setup(),
            Some(Language::DotNet) => {
                let mut steps = Vec::new();
                // Without a `global.json`, the runner's SDK is used.
                if self.has("global.json") {
                    steps.push("uses: actions/setup-dotnet@v5".to_owned());
                }
                (
                    steps,
                    Some("dotnet build --configuration Release".to_owned()),
                )
            }
        };
        steps.extend(own);
        (steps, build)
    }

    /// Returns the command's language if the project contains files of that language. Otherwise, returns the only language
    /// whose files the project contains. `None` if it contains files of several languages or of none.
    fn language(&self) -> Option<Language> {
        let mut found = Vec::new();
        for (language, files) in MANIFESTS {
            let is_native = language == Language::Native && self.cmake_folder().is_some();
            if is_native || files.iter().any(|file| self.has(file)) {
                found.push(language);
            }
        }
        let tool = BenchTool::of(self.command, self.folder).ok();
        let of_tool = tool.and_then(|tool| Language::of_tool(tool.tool()));
        let own = of_tool.unwrap_or_else(|| Language::of_command(self.command, self.folder));
        // Unknown programs are also `Native`, so require a CMake build folder for this language.
        let is_known = own != Language::Native || self.cmake_folder().is_some();
        if is_known && found.contains(&own) {
            return Some(own);
        }
        match found[..] {
            [only] => Some(only),
            _ => None,
        }
    }

    /// Whether a clone of the project would contain a file: it exists, and git does not ignore it. For `*END`, it is enough
    /// that a file with this suffix exists.
    fn has(&self, file: &str) -> bool {
        if let Some(end) = file.strip_prefix('*') {
            let mut entries = fs::read_dir(self.folder).into_iter().flatten().flatten();
            return entries.any(|entry| entry.file_name().to_string_lossy().ends_with(end));
        }
        let git = Git::at(self.folder);
        self.folder.join(file).exists() && git.ask(&["check-ignore", "--", file]).is_none()
    }

    /// Reads a file. Returns an empty text if the file cannot be read.
    fn text(&self, file: &str) -> String {
        fs::read_to_string(self.folder.join(file)).unwrap_or_default()
    }

    /// The version input of a setup action: the file in which the project pins the version, or a default.
    fn version(&self, tool: &str, file: &str, default: &str) -> String {
        if self.has(file) {
            format!("{tool}-version-file: {}{file}", self.prefix)
        } else {
            format!("{tool}-version: {default}")
        }
    }

    /// The command that builds the benchmark's targets before measured runs.
    fn cargo_build(&self) -> String {
        let words = self.command.split(|word| word == "--").next();
        match words {
            Some(words @ [cargo, bench, ..]) if cargo == "cargo" && bench == "bench" => {
                line(words) + " --no-run"
            }
            _ => "cargo bench --no-run".to_owned(),
        }
    }

    fn jvm_setup(&self) -> (Vec<String>, Option<String>) {
        let (cache, build) = if self.has("pom.xml") {
            let maven = if self.has("mvnw") { "./mvnw" } else { "mvn" };
            ("maven", format!("{maven} --quiet -DskipTests package"))
        } else if line(self.command).contains("-jmh.jar") {
            ("gradle", "./gradlew jmhJar".to_owned())
        } else {
            ("gradle", "./gradlew assemble".to_owned())
        };
        let setup = format!(
            "uses: actions/setup-java@v5\nwith: {{ distribution: temurin, java-version: 21, cache: {cache} }}"
        );
        (vec![setup], Some(build))
    }

    fn javascript_setup(&self) -> (Vec<String>, Option<String>) {
        let manifest: serde_json::Value =
            serde_json::from_str(&self.text("package.json")).unwrap_or_default();
        let mut steps = Vec::new();
        let (manager, install) = if self.has("pnpm-lock.yaml") {
            let mut setup = "uses: pnpm/action-setup@v4".to_owned();
            if !manifest["packageManager"].is_string() {
                setup += "\nwith: { version: latest }";
            }
            steps.push(setup);
            ("pnpm", "pnpm install --frozen-lockfile")
        } else if self.has("yarn.lock") {
            steps.push("run: corepack enable".to_owned());
            (
                "yarn",
                "yarn install --immutable || yarn install --frozen-lockfile",
            )
        } else if self.has("package-lock.json") {
            ("npm", "npm ci")
        } else {
            ("npm", "npm install")
        };
        // The cache of `setup-node` needs a lock file.
        let cache = match install {
            "npm install" => String::new(),
            _ => format!(", cache: {manager}"),
        };
        let version = self.version("node", ".nvmrc", "lts/*");
        steps.push(format!(
            "uses: actions/setup-node@v5\nwith: {{ {version}{cache} }}"
        ));
        steps.push(format!("run: {install}"));
        // Build the package only if the benchmark seems to import its build output.
        let imports_build = self.command.iter().any(|word| {
            let script = self.text(&word.to_string_lossy());
            script.contains("/dist") || script.contains("/build")
        });
        let has_build = imports_build && manifest["scripts"]["build"].is_string();
        (steps, has_build.then(|| format!("{manager} run build")))
    }

    fn python_setup(&self) -> (Vec<String>, Option<String>) {
        let version = self.version("python", ".python-version", "3.x");
        let python = "uses: actions/setup-python@v6\nwith: { ".to_owned() + &version;
        let (steps, build) = if self.has("uv.lock") {
            let sync = "uv sync --all-extras --all-groups";
            let steps = vec![
                "uses: astral-sh/setup-uv@v6".to_owned(),
                format!("run: {sync}"),
                "run: echo \"$PWD/.venv/bin\" >> \"$GITHUB_PATH\"".to_owned(),
            ];
            (steps, sync)
        } else if self.has("poetry.lock") {
            let steps = vec![
                "run: pipx install poetry".to_owned(),
                python + ", cache: poetry }",
                "run: poetry install --all-extras".to_owned(),
                "run: echo \"$(poetry env info --path)/bin\" >> \"$GITHUB_PATH\"".to_owned(),
            ];
            (steps, "poetry install")
        } else {
            let steps = vec![python + ", cache: pip }", self.pip_install()];
            (steps, "pip install --no-deps --editable .")
        };
        // An editable install does not rebuild extension modules.
        let manifest = (self.text("pyproject.toml") + &self.text("setup.py")).to_lowercase();
        let is_compiled = COMPILERS.iter().any(|tool| manifest.contains(tool));
        (steps, is_compiled.then(|| build.to_owned()))
    }

    /// The step that installs the project with its test dependencies: the extras and dependency groups with a usual
    /// name, and a requirements file.
    fn pip_install(&self) -> String {
        let manifest: toml::Table = self.text("pyproject.toml").parse().unwrap_or_default();
        let project = manifest.get("project");
        let optional = project.and_then(|project| project.get("optional-dependencies"));
        let groups = manifest.get("dependency-groups");
        let (mut extras, mut options) = (Vec::new(), String::new());
        for name in TEST_PACKAGES {
            if optional.is_some_and(|table| table.get(name).is_some()) {
                extras.push(name);
            }
            if groups.is_some_and(|table| table.get(name).is_some()) {
                let _ = write!(options, " --group {name}");
            }
        }
        if let Some(file) = REQUIREMENTS.iter().find(|file| self.has(file)) {
            let _ = write!(options, " -r {file}");
        }
        let project = if extras.is_empty() {
            ".".to_owned()
        } else {
            format!("'.[{}]'", extras.join(","))
        };
        let is_codspeed = line(self.command).contains("--codspeed");
        let plugin = if is_codspeed { "codspeed" } else { "benchmark" };
        format!("run: pip install --editable {project}{options} pytest pytest-{plugin}")
    }

    /// The CMake build folder that contains the command's program.
    fn cmake_folder(&self) -> Option<PathBuf> {
        for folder in self
            .command
            .iter()
            .flat_map(|word| Path::new(word).ancestors().skip(1))
        {
            if folder.is_relative() && folder != Path::new("") && self.is_configured(folder) {
                return Some(folder.strip_prefix("./").unwrap_or(folder).to_path_buf());
            }
        }
        None
    }

    fn is_configured(&self, folder: &Path) -> bool {
        self.folder.join(folder).join("CMakeCache.txt").is_file()
    }

    /// Builds with CMake in the configured folder that contains the executable, or in `build`. Uses the source folder and
    /// the benchmark options that are configured there. If neither folder is configured, the program was not built with
    /// CMake, and there is no build command.
    fn cmake_setup(&self) -> (Vec<String>, Option<String>) {
        let mut steps = Vec::new();
        let usual = PathBuf::from("build");
        let folder = match self.cmake_folder() {
            Some(folder) => folder,
            None if self.is_configured(&usual) => usual,
            None => return (steps, None),
        };
        let cache = self.text(&folder.join("CMakeCache.txt").to_string_lossy());
        // The local build found Google Benchmark outside the project, so the runner must install it.
        if cache
            .lines()
            .any(|line| line.starts_with("benchmark_DIR:PATH=/"))
        {
            steps.push(install("libbenchmark-dev"));
        }
        let Some(source) = self.cmake_source(&cache) else {
            return (steps, None);
        };
        let (folder, options) = (folder.display(), cmake_options(&cache));
        // Without a number, Make starts all compilers at once and may run out of memory. GitHub's runners have four
        // processors.
        let build = format!(
            "sh -c 'cmake -S {source} -B {folder} -DCMAKE_BUILD_TYPE=Release{options} && cmake --build {folder} --parallel 4'"
        );
        (steps, Some(build))
    }

    /// The configured source folder, relative to the project. `None` if the build was configured for another checkout.
    fn cmake_source(&self, cache: &str) -> Option<String> {
        let home = "CMAKE_HOME_DIRECTORY:INTERNAL=";
        let Some(home) = cache.lines().find_map(|line| line.strip_prefix(home)) else {
            return Some(".".to_owned());
        };
        let (home, root) = (fs::canonicalize(home), self.folder.canonicalize());
        match home.ok()?.strip_prefix(root.ok()?).ok()?.to_str()? {
            "" => Some(".".to_owned()),
            source => Some(source.to_owned()),
        }
    }
}

/// A step that installs an Ubuntu package.
fn install(package: &str) -> String {
    format!("run: sudo apt-get update && sudo apt-get install --yes {package}")
}

/// Finds the benchmark options that are on in a CMake cache. Leaves out the options of subprojects, which begin with the
/// subproject's name.
fn cmake_options(cache: &str) -> String {
    let own = cache
        .lines()
        .find_map(|line| line.strip_prefix("CMAKE_PROJECT_NAME:STATIC="));
    let mut subprojects = Vec::new();
    for line in cache.lines() {
        if let Some((name, _)) = line.split_once("_SOURCE_DIR:STATIC=")
            && Some(name) != own
        {
            subprojects.push(name.to_lowercase() + "_");
        }
    }
    let mut options = String::new();
    for line in cache.lines() {
        let Some((name, value)) = line.split_once(":BOOL=") else {
            continue;
        };
        let lower = name.to_lowercase();
        let is_on = ["ON", "TRUE", "YES", "1"].contains(&value);
        let is_of_subproject = subprojects.iter().any(|prefix| lower.starts_with(prefix));
        if is_on && lower.contains("bench") && !is_of_subproject {
            let _ = write!(options, " -D{name}=ON");
        }
    }
    options
}

/// The location of a project in its repository.
#[derive(Clone, Debug, Default)]
pub struct Location {
    /// The path from the project up to the repository's root, empty or ending with `/`.
    up: String,
    /// The path from the repository's root to the project, empty or ending with `/`.
    pub down: String,
    has_submodules: bool,
}

impl Location {
    /// The location of the current folder.
    pub fn here() -> Self {
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
    pub fn workflow_path(&self) -> PathBuf {
        Path::new(&self.up).join(".github/workflows/perf.yml")
    }
}

/// Renders the workflow with a project's setup steps and build command.
pub fn render(
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

const MEASURE: &str =
    "      - uses: perf-gate/perf-gate@main # no release yet: replace `main` with a reviewed commit
        with:
";

/// Quotes a text as JSON, which is also valid in TOML and YAML.
pub fn quoted(text: impl AsRef<str>) -> String {
    serde_json::Value::from(text.as_ref()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subproject_options_are_ignored() {
        let cache = "CMAKE_PROJECT_NAME:STATIC=parse\nparse_SOURCE_DIR:STATIC=/p\n\
            benchmark_SOURCE_DIR:STATIC=/p/deps/benchmark\nBENCHMARK_ENABLE_TESTING:BOOL=ON\n\
            PARSE_BENCHMARKS:BOOL=ON\nBUILD_BENCH:BOOL=OFF\n";
        assert_eq!(cmake_options(cache), " -DPARSE_BENCHMARKS=ON");
    }

    #[test]
    fn hyperfine_is_installed() {
        let command = ["hyperfine", "./tool"].map(OsString::from);
        let project = Project {
            folder: Path::new("."),
            command: &command,
            prefix: "",
        };
        let (steps, _) = project.setup();
        assert!(steps[0].ends_with("install --yes hyperfine"), "{steps:?}");
    }

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
              - uses: perf-gate/perf-gate@main # no release yet: replace `main` with a reviewed commit
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
