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

/// The files by which languages are recognised; `*END` is any file name with this ending.
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

impl Project<'_> {
    /// The setup steps as YAML, and the command that builds each side.
    pub(super) fn setup(&self) -> (Vec<String>, Option<String>) {
        let mut steps = Vec::new();
        // A standalone benchmark tool.
        let program = self.command.first().map(|word| word.to_string_lossy());
        for (tool, package) in TOOL_PACKAGES {
            if program.as_deref() == Some(tool) {
                steps.push(install(package));
            }
        }
        let languages = self.languages();
        let mut build = None;
        for language in &languages {
            let (own, own_build) = match language {
                Language::Cargo => {
                    let cache = "uses: Swatinem/rust-cache@v2".to_owned();
                    (vec![cache], Some(self.cargo_build()))
                }
                Language::Go => (vec![self.go_setup()], None),
                Language::JavaScript => (self.javascript_steps(), self.javascript_build()),
                Language::Python => (self.python_steps(), self.python_build()),
                Language::Native => (self.cmake_steps(), self.cmake_build()),
                Language::Jvm => self.jvm_setup(),
                Language::DotNet => {
                    // Without a version in global.json, the runner's SDK is used.
                    let setup = self.has("global.json");
                    let setup = setup.then(|| "uses: actions/setup-dotnet@v5".to_owned());
                    let build = "dotnet build --configuration Release".to_owned();
                    (setup.into_iter().collect(), Some(build))
                }
            };
            steps.extend(own);
            // If several languages match, the program is probably a native one.
            if languages.len() == 1 || *language == Language::Native {
                build = own_build;
            }
        }
        (steps, build)
    }

    /// The command's language if its project exists, otherwise all languages whose files exist.
    fn languages(&self) -> Vec<Language> {
        let mut found = Vec::new();
        for (language, files) in MANIFESTS {
            let is_native = language == Language::Native && self.cmake_folder().is_some();
            if is_native || files.iter().any(|file| self.has(file)) {
                found.push(language);
            }
        }
        let tool = BenchTool::of(self.command, self.folder).ok();
        let own = match tool.and_then(|tool| Language::of_tool(tool.tool())) {
            Some(language) => language,
            None => Language::of_command(self.command, self.folder),
        };
        // Unknown programs are also `Native`, so that requires a CMake build.
        let is_known = own != Language::Native || self.cmake_folder().is_some();
        if is_known && found.contains(&own) {
            found = vec![own];
        }
        found
    }

    /// Whether a clone would contain a file, so it must exist and not be ignored.
    fn has(&self, file: &str) -> bool {
        if let Some(end) = file.strip_prefix('*') {
            let entries = fs::read_dir(self.folder).into_iter().flatten().flatten();
            return entries
                .into_iter()
                .any(|entry| entry.file_name().to_string_lossy().ends_with(end));
        }
        let git = Git::at(self.folder);
        self.folder.join(file).exists() && git.ask(&["check-ignore", "--", file]).is_none()
    }

    /// Reads a file, or returns an empty text if it is missing.
    fn text(&self, file: &str) -> String {
        fs::read_to_string(self.folder.join(file)).unwrap_or_default()
    }

    /// The version input of a setup action: the file in which the project pins the version, or a default.
    fn version(&self, tool: &str, files: &[&str], default: &str) -> String {
        match files.iter().find(|file| self.has(file)) {
            Some(file) => format!("{tool}-version-file: {}{file}", self.prefix),
            None => format!("{tool}-version: {default}"),
        }
    }

    /// Builds the command's targets, so that measured runs don't.
    fn cargo_build(&self) -> String {
        let words = self.command.split(|word| word == "--").next();
        match words {
            Some(words @ [cargo, bench, ..]) if cargo == "cargo" && bench == "bench" => {
                line(words) + " --no-run"
            }
            _ => "cargo bench --no-run".to_owned(),
        }
    }

    fn go_setup(&self) -> String {
        let manifest = self.text("go.mod");
        let version = if manifest.lines().any(|line| line.starts_with("go ")) {
            format!("go-version-file: {}go.mod", self.prefix)
        } else {
            "go-version: stable".to_owned()
        };
        format!("uses: actions/setup-go@v6\nwith: {{ {version} }}")
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
        let version = self.version("java", &[".java-version"], "21");
        let setup = format!(
            "uses: actions/setup-java@v5\nwith: {{ distribution: temurin, {version}, cache: {cache} }}"
        );
        (vec![setup], Some(build))
    }

    fn package_json(&self) -> serde_json::Value {
        serde_json::from_str(&self.text("package.json")).unwrap_or_default()
    }

    /// The package manager, detected by its lock file or in the manifest, and whether a lock file exists.
    fn package_manager(&self) -> (&'static str, bool) {
        let files = [
            ("pnpm-lock.yaml", "pnpm"),
            ("yarn.lock", "yarn"),
            ("package-lock.json", "npm"),
        ];
        for (file, manager) in files {
            if self.has(file) {
                return (manager, true);
            }
        }
        let manifest = self.package_json();
        let pinned = manifest["packageManager"].as_str().unwrap_or_default();
        let pinned = pinned.split('@').next();
        let named = ["pnpm", "yarn"]
            .into_iter()
            .find(|name| pinned == Some(name));
        (named.unwrap_or("npm"), false)
    }

    fn javascript_steps(&self) -> Vec<String> {
        let (manager, is_locked) = self.package_manager();
        let mut steps = Vec::new();
        match manager {
            "pnpm" if self.package_json()["packageManager"].is_string() => {
                steps.push("uses: pnpm/action-setup@v4".to_owned());
            }
            "pnpm" => {
                steps.push("uses: pnpm/action-setup@v4\nwith: { version: latest }".to_owned());
            }
            "yarn" => steps.push("run: corepack enable".to_owned()),
            _ => {}
        }
        // The cache of `setup-node` needs a lock file.
        let cache = if is_locked {
            format!(", cache: {manager}")
        } else {
            String::new()
        };
        let version = self.version("node", &[".nvmrc", ".node-version"], "lts/*");
        steps.push(format!(
            "uses: actions/setup-node@v5\nwith: {{ {version}{cache} }}"
        ));
        let install = match (manager, is_locked) {
            ("pnpm", true) => "pnpm install --frozen-lockfile",
            ("pnpm", false) => "pnpm install",
            ("yarn", true) => "yarn install --immutable || yarn install --frozen-lockfile",
            ("yarn", false) => "yarn install",
            (_, true) => "npm ci",
            (_, false) => "npm install",
        };
        steps.push(format!("run: {install}"));
        steps.extend(self.install_own_packages());
        steps
    }

    /// Installs the packages of a benchmark folder with its own `package.json`, unless it is part of a workspace.
    fn install_own_packages(&self) -> Option<String> {
        if self.package_json()["workspaces"] != serde_json::Value::Null
            || self.has("pnpm-workspace.yaml")
        {
            return None;
        }
        for word in self.command {
            for folder in Path::new(word).ancestors().skip(1) {
                let name = folder.to_str()?;
                let is_normal = |part| matches!(part, Component::Normal(_));
                let is_inside = folder.is_relative() && folder.components().any(is_normal);
                if is_inside && self.has(&format!("{name}/package.json")) {
                    let is_locked = self.has(&format!("{name}/package-lock.json"));
                    let install = if is_locked { "ci" } else { "install" };
                    let prefix = shell_words::quote(name);
                    return Some(format!("run: npm {install} --prefix {prefix}"));
                }
            }
        }
        None
    }

    /// Builds the package if the benchmark imports its build output.
    fn javascript_build(&self) -> Option<String> {
        self.package_json()["scripts"]["build"].as_str()?;
        let imports_build = |word: &OsString| {
            let text = self.text(&word.to_string_lossy());
            let mut after = ["/dist", "/build"]
                .into_iter()
                .flat_map(|folder| text.split(folder).skip(1));
            after.any(|rest| rest.starts_with(['/', '"', '\'', '`']))
        };
        let is_built = self.command.iter().any(imports_build);
        is_built.then(|| format!("{} run build", self.package_manager().0))
    }

    fn python_steps(&self) -> Vec<String> {
        let version = self.version("python", &[".python-version"], "3.x");
        let python = |cache: &str| {
            format!("uses: actions/setup-python@v6\nwith: {{ {version}, cache: {cache} }}")
        };
        if self.has("uv.lock") {
            return [
                "uses: astral-sh/setup-uv@v6",
                "run: uv sync --all-extras --all-groups",
                "run: echo \"$PWD/.venv/bin\" >> \"$GITHUB_PATH\"",
            ]
            .map(str::to_owned)
            .into();
        }
        if self.has("poetry.lock") {
            return vec![
                "run: pipx install poetry".to_owned(),
                python("poetry"),
                "run: poetry install --all-extras".to_owned(),
                "run: echo \"$(poetry env info --path)/bin\" >> \"$GITHUB_PATH\"".to_owned(),
            ];
        }
        vec![python("pip"), self.pip_install()]
    }

    /// Installs the packages for tests, from a requirements file, extras or dependency groups.
    fn pip_install(&self) -> String {
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
        let manifest: toml::Table = self.text("pyproject.toml").parse().unwrap_or_default();
        let project = manifest.get("project");
        let extras = project.and_then(|project| project.get("optional-dependencies"));
        let groups = manifest.get("dependency-groups");
        let in_table = |table: Option<&toml::Value>| -> Vec<&str> {
            let has = |name: &&str| table.is_some_and(|table| table.get(name).is_some());
            NAMES.into_iter().filter(has).collect()
        };
        let extras = in_table(extras);
        let mut install = if extras.is_empty() {
            "run: pip install --editable .".to_owned()
        } else {
            format!("run: pip install --editable '.[{}]'", extras.join(","))
        };
        for group in in_table(groups) {
            let _ = write!(install, " --group {group}");
        }
        if let Some(file) = FILES.iter().find(|file| self.has(file)) {
            let _ = write!(install, " -r {file}");
        }
        let is_codspeed = line(self.command).contains("--codspeed");
        let plugin = if is_codspeed { "codspeed" } else { "benchmark" };
        install + " pytest pytest-" + plugin
    }

    /// Builds a package with an extension module, because an editable install does not rebuild it.
    fn python_build(&self) -> Option<String> {
        const COMPILERS: [&str; 7] = [
            "cython",
            "maturin",
            "scikit-build",
            "meson",
            "setuptools-rust",
            "setuptools_rust",
            "ext_modules",
        ];
        let text = self.text("pyproject.toml") + &self.text("setup.py");
        let text = text.to_lowercase();
        if !COMPILERS.iter().any(|compiler| text.contains(compiler)) {
            return None;
        }
        let build = if self.has("uv.lock") {
            "uv sync --all-extras --all-groups"
        } else if self.has("poetry.lock") {
            "poetry install"
        } else {
            PIP_BUILD
        };
        Some(build.to_owned())
    }

    /// The CMake build folder that contains the command's program.
    fn cmake_folder(&self) -> Option<PathBuf> {
        let mut folders = self
            .command
            .iter()
            .flat_map(|word| Path::new(word).ancestors().skip(1));
        let folder = folders.find(|folder| {
            folder.is_relative() && *folder != Path::new("") && self.is_configured(folder)
        })?;
        Some(folder.strip_prefix("./").unwrap_or(folder).to_path_buf())
    }

    fn is_configured(&self, folder: &Path) -> bool {
        self.folder.join(folder).join("CMakeCache.txt").is_file()
    }

    /// Installs the benchmark library as an Ubuntu package, if the local build found it outside the project.
    fn cmake_steps(&self) -> Vec<String> {
        let Some(folder) = self.cmake_folder() else {
            return Vec::new();
        };
        let cache = self.text(&folder.join("CMakeCache.txt").to_string_lossy());
        let packages = [
            ("benchmark", "libbenchmark-dev"),
            ("Catch2", "catch2"),
            ("nanobench", "nanobench-dev"),
        ];
        let mut steps = Vec::new();
        for (name, package) in packages {
            let found = format!("{name}_DIR:PATH=/");
            if cache.lines().any(|line| line.starts_with(&found)) {
                steps.push(install(package));
            }
        }
        steps
    }

    /// Builds with CMake in the folder that contains the executable, or in `build`, with the sources and benchmark options
    /// configured there. Without a configured folder, the program was built differently.
    fn cmake_build(&self) -> Option<String> {
        let usual = PathBuf::from("build");
        let folder = match self.cmake_folder() {
            Some(folder) => folder,
            None if self.is_configured(&usual) => usual,
            None => return None,
        };
        let cache = self.text(&folder.join("CMakeCache.txt").to_string_lossy());
        let mut source = PathBuf::new();
        let home = "CMAKE_HOME_DIRECTORY:INTERNAL=";
        if let Some(home) = cache.lines().find_map(|line| line.strip_prefix(home)) {
            // CMake stores either a link or its target, so compare both forms.
            let roots = [std::path::absolute(self.folder), self.folder.canonicalize()];
            let mut roots = roots.iter().flatten();
            let inside = roots.find_map(|root| Path::new(home).strip_prefix(root).ok())?;
            source.push(inside);
        }
        if source == Path::new("") {
            source.push(".");
        }
        let (source, folder) = (source.display(), folder.display());
        let options = cmake_options(&cache);
        // Without a number, Make starts all compilers at once and may run out of memory. Runners have four processors.
        Some(format!(
            "sh -c 'cmake -S {source} -B {folder} -DCMAKE_BUILD_TYPE=Release{options} && cmake --build {folder} --parallel 4'"
        ))
    }
}

const PIP_BUILD: &str = "pip install --no-deps --editable .";

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

/// A step that installs an Ubuntu package.
fn install(package: &str) -> String {
    format!("run: sudo apt-get update && sudo apt-get install --yes {package}")
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
        let (steps, _) = project.setup();
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
