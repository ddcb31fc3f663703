//! Determines from a project's files the setup steps and the build that its benchmark needs in a clean clone.

use std::ffi::OsString;
use std::fmt::Write;
use std::fs;
use std::path::{Component, Path, PathBuf};

use measure::bench_tools::{BenchTool, Language};
use perf_cli::git::Git;

use super::benchmark::line;

/// A project's folder and its benchmark command.
pub(super) struct Project<'p> {
    pub(super) folder: &'p Path,
    pub(super) command: &'p [OsString],
    /// The path from the repository's root to the folder, empty or ending with `/`.
    pub(super) prefix: &'p str,
}

/// Standalone benchmark tools, with their Ubuntu packages.
const TOOL_PACKAGES: [(&str, &str); 3] = [
    ("hyperfine", "hyperfine"),
    ("wrk", "wrk"),
    ("ab", "apache2-utils"),
];

impl Project<'_> {
    /// Whether a clone would contain a file, so it must exist and not be ignored. `*END` stands for any file name with this
    /// ending.
    fn has(&self, file: &str) -> bool {
        let Some(end) = file.strip_prefix('*') else {
            let is_ignored = || {
                Git::at(self.folder)
                    .ask(&["check-ignore", "--", file])
                    .is_some()
            };
            return self.folder.join(file).exists() && !is_ignored();
        };
        let entries = fs::read_dir(self.folder).into_iter().flatten().flatten();
        entries
            .into_iter()
            .any(|entry| entry.file_name().to_string_lossy().ends_with(end))
    }

    /// The command's ecosystem if its language is known, otherwise all ecosystems whose files exist, one per language.
    pub(super) fn ecosystems(&self) -> Vec<&'static Ecosystem> {
        let is_there = |one: &&Ecosystem| {
            self.has(one.file) || one.language == Language::Native && self.cmake_folder().is_some()
        };
        let found = ECOSYSTEMS
            .iter()
            .filter_map(|language| language.iter().find(is_there));
        let found: Vec<_> = found.collect();
        let own = self
            .language()
            .and_then(|own| found.iter().find(|one| one.language == own).copied());
        own.map_or(found, |own| vec![own])
    }

    /// The command's language, detected by its tool or its program.
    fn language(&self) -> Option<Language> {
        let harness = BenchTool::of(self.command, self.folder).ok();
        // `of_command` also returns `Native` for unknown programs, so require a CMake build.
        let of_command = || match Language::of_command(self.command, self.folder) {
            Language::Native => self.cmake_folder().map(|_| Language::Native),
            language => Some(language),
        };
        harness
            .and_then(|harness| Language::of_tool(harness.tool()))
            .or_else(of_command)
    }

    /// Installs a standalone benchmark tool that the command starts.
    pub(super) fn tool_steps(&self) -> Vec<String> {
        let program = self.command.first().map(|word| word.to_string_lossy());
        let program = program.unwrap_or_default();
        let package = TOOL_PACKAGES.iter().find(|(tool, _)| *tool == program);
        package
            .map(|(_, package)| install(package))
            .into_iter()
            .collect()
    }

    /// The version input of a setup action: the file in which the project pins the version, or a default.
    fn version(&self, tool: &str, files: &[&str], default: &str) -> String {
        match files.iter().find(|file| self.has(file)) {
            Some(file) => format!("{tool}-version-file: {}{file}", self.prefix),
            None => format!("{tool}-version: {default}"),
        }
    }

    /// Reads a file, or returns an empty text if it is missing.
    fn text(&self, file: &str) -> String {
        fs::read_to_string(self.folder.join(file)).unwrap_or_default()
    }

    /// The CMake build folder that contains the command's program.
    fn cmake_folder(&self) -> Option<PathBuf> {
        let programs = self
            .command
            .iter()
            .flat_map(|word| Path::new(word).ancestors().skip(1));
        programs
            .filter(|path| path.is_relative() && *path != Path::new(""))
            .find(|path| self.folder.join(path).join("CMakeCache.txt").is_file())
            .map(|path| path.strip_prefix("./").unwrap_or(path).to_path_buf())
    }
}

/// A kind of project, recognised by a file in its folder.
pub(super) struct Ecosystem {
    pub(super) language: Language,
    file: &'static str,
    /// The steps before the measurement, as YAML.
    pub(super) steps: fn(&Project<'_>) -> Vec<String>,
    /// The command that builds each side.
    pub(super) build: fn(&Project<'_>) -> Option<String>,
}

const fn needs(
    language: Language,
    file: &'static str,
    steps: fn(&Project<'_>) -> Vec<String>,
    build: fn(&Project<'_>) -> Option<String>,
) -> Ecosystem {
    Ecosystem {
        language,
        file,
        steps,
        build,
    }
}

/// For each language, the first match is used.
const ECOSYSTEMS: [&[Ecosystem]; 7] = [
    &[needs(
        Language::Cargo,
        "Cargo.toml",
        |_| steps(["uses: Swatinem/rust-cache@v2"]),
        |project| Some(cargo_build(project)),
    )],
    &[needs(Language::Go, "go.mod", go_steps, |_| None)],
    &[needs(
        Language::JavaScript,
        "package.json",
        javascript_steps,
        javascript_build,
    )],
    &[needs(
        Language::Python,
        "pyproject.toml",
        python_steps,
        python_build,
    )],
    &[needs(
        Language::Native,
        "CMakeLists.txt",
        cmake_steps,
        cmake_build,
    )],
    &[
        needs(
            Language::Jvm,
            "pom.xml",
            |project| vec![java(project, "maven")],
            |project| {
                let maven = if project.has("mvnw") { "./mvnw" } else { "mvn" };
                Some(format!("{maven} --quiet -DskipTests package"))
            },
        ),
        needs(
            Language::Jvm,
            "gradlew",
            |project| vec![java(project, "gradle")],
            |project| {
                let is_jmh = line(project.command).contains("-jmh.jar");
                Some(format!(
                    "./gradlew {}",
                    if is_jmh { "jmhJar" } else { "assemble" }
                ))
            },
        ),
    ],
    // Without a version in global.json, the runner's SDK is used.
    &[
        needs(
            Language::DotNet,
            "global.json",
            |_| steps(["uses: actions/setup-dotnet@v5"]),
            |_| Some(DOTNET_BUILD.to_owned()),
        ),
        needs(
            Language::DotNet,
            "*.slnx",
            |_| Vec::new(),
            |_| Some(DOTNET_BUILD.to_owned()),
        ),
        needs(
            Language::DotNet,
            "*.sln",
            |_| Vec::new(),
            |_| Some(DOTNET_BUILD.to_owned()),
        ),
        needs(
            Language::DotNet,
            "*.csproj",
            |_| Vec::new(),
            |_| Some(DOTNET_BUILD.to_owned()),
        ),
    ],
];

const DOTNET_BUILD: &str = "dotnet build --configuration Release";

fn steps<const N: usize>(steps: [&str; N]) -> Vec<String> {
    steps.map(str::to_owned).into()
}

/// Builds the command's targets, so that measured runs don't.
fn cargo_build(project: &Project<'_>) -> String {
    let words = project
        .command
        .split(|word| word == "--")
        .next()
        .unwrap_or_default();
    let is_bench = matches!(words, [cargo, bench, ..] if cargo == "cargo" && bench == "bench");
    if is_bench {
        line(words) + " --no-run"
    } else {
        "cargo bench --no-run".to_owned()
    }
}

fn node(project: &Project<'_>, cache: &str) -> String {
    let version = project.version("node", &[".nvmrc", ".node-version"], "lts/*");
    format!("uses: actions/setup-node@v5\nwith: {{ {version}{cache} }}")
}

fn python(project: &Project<'_>, cache: &str) -> String {
    let version = project.version("python", &[".python-version"], "3.x");
    format!("uses: actions/setup-python@v6\nwith: {{ {version}, cache: {cache} }}")
}

fn java(project: &Project<'_>, cache: &str) -> String {
    let version = project.version("java", &[".java-version"], "21");
    format!(
        "uses: actions/setup-java@v5\nwith: {{ distribution: temurin, {version}, cache: {cache} }}"
    )
}

fn go_steps(project: &Project<'_>) -> Vec<String> {
    let names_version = project
        .text("go.mod")
        .lines()
        .any(|line| line.starts_with("go "));
    let version = if names_version {
        format!("go-version-file: {}go.mod", project.prefix)
    } else {
        "go-version: stable".to_owned()
    };
    vec![format!("uses: actions/setup-go@v6\nwith: {{ {version} }}")]
}

/// The package manager, detected by its lock file or in the manifest, and whether a lock file exists.
fn manager(project: &Project<'_>) -> (&'static str, bool) {
    let files = [
        ("pnpm-lock.yaml", "pnpm"),
        ("yarn.lock", "yarn"),
        ("package-lock.json", "npm"),
    ];
    if let Some((_, manager)) = files.into_iter().find(|(file, _)| project.has(file)) {
        return (manager, true);
    }
    let named = package_manager(project).unwrap_or_default();
    let is_named = |manager: &&str| named.split('@').next() == Some(manager);
    (
        ["pnpm", "yarn"].into_iter().find(is_named).unwrap_or("npm"),
        false,
    )
}

/// The package manager and version that `package.json` pins.
fn package_manager(project: &Project<'_>) -> Option<String> {
    let manifest: serde_json::Value = serde_json::from_str(&project.text("package.json")).ok()?;
    Some(manifest.get("packageManager")?.as_str()?.to_owned())
}

fn javascript_steps(project: &Project<'_>) -> Vec<String> {
    let node = |cache| node(project, cache);
    // `setup-node` needs a lock file for its cache.
    let mut steps = match manager(project) {
        ("pnpm", is_locked) => {
            let pnpm = if package_manager(project).is_some() {
                ""
            } else {
                "\nwith: { version: latest }"
            };
            let setup = format!("uses: pnpm/action-setup@v4{pnpm}");
            let [cache, frozen] = if is_locked {
                [", cache: pnpm", " --frozen-lockfile"]
            } else {
                [""; 2]
            };
            steps([&setup, &node(cache), &format!("run: pnpm install{frozen}")])
        }
        ("yarn", true) => {
            let install = "run: yarn install --immutable || yarn install --frozen-lockfile";
            steps(["run: corepack enable", &node(", cache: yarn"), install])
        }
        ("yarn", false) => steps(["run: corepack enable", &node(""), "run: yarn install"]),
        (_, true) => steps([&node(", cache: npm"), "run: npm ci"]),
        (_, false) => steps([&node(""), "run: npm install"]),
    };
    steps.extend(own_packages(project));
    steps
}

/// Installs the packages of a benchmark folder with its own `package.json`, unless it is part of a workspace.
fn own_packages(project: &Project<'_>) -> Option<String> {
    let is_known = project.text("package.json").contains("\"workspaces\"")
        || project.has("pnpm-workspace.yaml");
    let folders = project
        .command
        .iter()
        .flat_map(|word| Path::new(word).ancestors().skip(1));
    let has = |folder: &&Path, file: &str| {
        folder
            .join(file)
            .to_str()
            .is_some_and(|file| project.has(file))
    };
    let is_below = |folder: &&Path| {
        folder
            .components()
            .any(|part| matches!(part, Component::Normal(_)))
    };
    let mut own = folders.filter(|folder| folder.is_relative() && is_below(folder));
    let folder = own
        .find(|folder| has(folder, "package.json"))
        .filter(|_| !is_known)?;
    let install = if has(&folder, "package-lock.json") {
        "ci"
    } else {
        "install"
    };
    Some(format!(
        "run: {}",
        line(&[
            "npm".into(),
            install.into(),
            "--prefix".into(),
            folder.into()
        ])
    ))
}

/// Builds the package if the benchmark imports its build output.
fn javascript_build(project: &Project<'_>) -> Option<String> {
    let manifest: serde_json::Value = serde_json::from_str(&project.text("package.json")).ok()?;
    manifest.get("scripts")?.get("build")?;
    let files = project.command.iter().filter_map(|word| word.to_str());
    let is_built = |file: &str| {
        let text = project.text(file);
        let ends = |rest: &str| rest.starts_with(['/', '"', '\'', '`']);
        ["/dist", "/build"]
            .iter()
            .any(|folder| text.split(folder).skip(1).any(ends))
    };
    files
        .into_iter()
        .any(is_built)
        .then(|| format!("{} run build", manager(project).0))
}

fn python_steps(project: &Project<'_>) -> Vec<String> {
    if project.has("uv.lock") {
        return steps([
            "uses: astral-sh/setup-uv@v6",
            "run: uv sync --all-extras --all-groups",
            "run: echo \"$PWD/.venv/bin\" >> \"$GITHUB_PATH\"",
        ]);
    }
    if project.has("poetry.lock") {
        return steps([
            "run: pipx install poetry",
            &python(project, "poetry"),
            "run: poetry install --all-extras",
            "run: echo \"$(poetry env info --path)/bin\" >> \"$GITHUB_PATH\"",
        ]);
    }
    pip_steps(project)
}

/// Installs the packages for tests, from a requirements file, extras or dependency groups.
fn pip_steps(project: &Project<'_>) -> Vec<String> {
    const FILES: [&str; 9] = [
        "requirements/dev.txt",
        "requirements-dev.txt",
        "dev-requirements.txt",
        "requirements_dev.txt",
        "requirements/test.txt",
        "requirements/tests.txt",
        "requirements-test.txt",
        "test-requirements.txt",
        "requirements_test.txt",
    ];
    const NAMES: [&str; 6] = ["bench", "benchmark", "test", "tests", "testing", "dev"];
    let manifest: toml::Table = project.text("pyproject.toml").parse().unwrap_or_default();
    let named = |table: Option<&toml::Value>| {
        let table = table.and_then(toml::Value::as_table);
        let is_known = |name: &&str| table.is_some_and(|table| table.contains_key(*name));
        NAMES.into_iter().filter(is_known).collect::<Vec<_>>()
    };
    let extras = named(
        manifest
            .get("project")
            .and_then(|project| project.get("optional-dependencies")),
    );
    let extras = if extras.is_empty() {
        ".".to_owned()
    } else {
        format!("'.[{}]'", extras.join(","))
    };
    let groups = named(manifest.get("dependency-groups"))
        .into_iter()
        .map(|group| format!(" --group {group}"));
    let file = FILES
        .iter()
        .find(|file| project.has(file))
        .map(|file| format!(" -r {file}"));
    let more: String = groups.chain(file).collect();
    let is_codspeed = line(project.command).contains("--codspeed");
    let plugin = if is_codspeed {
        "pytest-codspeed"
    } else {
        "pytest-benchmark"
    };
    vec![
        python(project, "pip"),
        format!("run: pip install --editable {extras}{more} pytest {plugin}"),
    ]
}

const PIP_BUILD: &str = "pip install --no-deps --editable .";

/// Builds a package with an extension module, because an editable install does not rebuild it.
fn python_build(project: &Project<'_>) -> Option<String> {
    let builds = [
        ("uv.lock", "uv sync --all-extras --all-groups"),
        ("poetry.lock", "poetry install"),
    ];
    let own = builds.into_iter().find(|(file, _)| project.has(file));
    let build = own.map_or(PIP_BUILD, |(_, build)| build);
    let texts = ["pyproject.toml", "setup.py"].map(|file| project.text(file).to_lowercase());
    let tools = [
        "cython",
        "maturin",
        "scikit-build",
        "meson",
        "setuptools-rust",
        "setuptools_rust",
        "ext_modules",
    ];
    let is_compiled = |text: &String| tools.iter().any(|tool| text.contains(tool));
    texts.iter().any(is_compiled).then(|| build.to_owned())
}

/// The build command for this machine: pip if the project's package manager is not installed.
pub(super) fn build_here(build: &str, is_installed: impl Fn(&str) -> bool) -> &str {
    let program = build.split(' ').next().unwrap_or_default();
    if ["uv", "poetry"].contains(&program) && !is_installed(program) {
        PIP_BUILD
    } else {
        build
    }
}

/// Whether a program is in the `PATH`.
pub(super) fn is_installed(program: &str) -> bool {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let file = format!("{program}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&paths).any(|folder| folder.join(&file).is_file())
}

/// Installs the benchmark library as an Ubuntu package, if the local build found it outside the project.
fn cmake_steps(project: &Project<'_>) -> Vec<String> {
    let cache = project
        .cmake_folder()
        .map(|folder| folder.join("CMakeCache.txt"));
    let cache = cache
        .and_then(|cache| project.text(cache.to_str()?).into())
        .unwrap_or_default();
    let is_found = |name: &str| {
        cache
            .lines()
            .any(|line| line.starts_with(&format!("{name}_DIR:PATH=/")))
    };
    let packages = [
        ("benchmark", "libbenchmark-dev"),
        ("Catch2", "catch2"),
        ("nanobench", "nanobench-dev"),
    ];
    let found = packages.iter().filter(|(name, _)| is_found(name));
    found.map(|(_, package)| install(package)).collect()
}

/// A step that installs an Ubuntu package.
fn install(package: &str) -> String {
    format!("run: sudo apt-get update && sudo apt-get install --yes {package}")
}

/// Builds with CMake in the folder that contains the executable, or in `build`, with the sources and benchmark options
/// configured there.
fn cmake_build(project: &Project<'_>) -> Option<String> {
    let is_configured =
        |folder: &PathBuf| project.folder.join(folder).join("CMakeCache.txt").is_file();
    // Without a configured folder, the program was built differently.
    let folder = project
        .cmake_folder()
        .or_else(|| Some("build".into()).filter(is_configured))?;
    let cache = project.text(folder.join("CMakeCache.txt").to_str()?);
    let source = cache
        .lines()
        .find_map(|line| line.strip_prefix("CMAKE_HOME_DIRECTORY:INTERNAL="));
    let source = match source {
        Some(source) => {
            // CMake stores either a link or its target, so compare both forms.
            let roots = [
                std::path::absolute(project.folder),
                project.folder.canonicalize(),
            ];
            let inside = roots
                .iter()
                .flatten()
                .find_map(|root| Path::new(source).strip_prefix(root).ok())?;
            if inside == Path::new("") {
                ".".to_owned()
            } else {
                inside.display().to_string()
            }
        }
        None => ".".to_owned(),
    };
    let options = cmake_options(&cache);
    // Without a number, Make starts all compilers at once and may run out of memory. Runners have four processors.
    let folder = folder.display();
    Some(format!(
        "sh -c 'cmake -S {source} -B {folder} -DCMAKE_BUILD_TYPE=Release{options} && cmake --build {folder} --parallel 4'"
    ))
}

/// The benchmark options that are on in a CMake cache, except options of subprojects, which are prefixed with the subproject's
/// name.
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
        let steps = project.tool_steps();
        assert!(steps[0].ends_with("install --yes hyperfine"), "{steps:?}");
    }

    #[test]
    fn missing_package_manager_is_replaced_by_pip() {
        for (build, expected) in [
            ("poetry install", PIP_BUILD),
            (
                "uv sync --all-extras --all-groups",
                "uv sync --all-extras --all-groups",
            ),
            ("make", "make"),
        ] {
            assert_eq!(build_here(build, |program| program == "uv"), expected);
        }
        assert!(is_installed("cargo") && !is_installed("no-such-program"));
    }
}
