//! Determines from a project's files the setup steps and the build that its benchmark needs in a clean clone.

use std::ffi::OsString;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

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

/// Build tools of Python packages with compiled modules.
const COMPILERS: [&str; 6] = [
    "cython",
    "maturin",
    "scikit-build",
    "meson",
    "setuptools-rust",
    "ext_modules",
];

/// Usual names of extras and dependency groups, and files, with the packages for tests.
const TEST_PACKAGES: [&str; 6] = ["bench", "benchmark", "test", "tests", "testing", "dev"];
const REQUIREMENTS: [&str; 4] = [
    "requirements/dev.txt",
    "requirements-dev.txt",
    "requirements/test.txt",
    "requirements-test.txt",
];

impl Project<'_> {
    /// The setup steps as YAML, and the command that builds each side.
    pub(super) fn setup(&self) -> (Vec<String>, Option<String>) {
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
                // Without a version in global.json, the runner's SDK is used.
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

    /// The command's language if its project exists, otherwise the only one whose files exist.
    fn language(&self) -> Option<Language> {
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
            return Some(own);
        }
        match found[..] {
            [only] => Some(only),
            _ => None,
        }
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
    fn version(&self, tool: &str, file: &str, default: &str) -> String {
        if self.has(file) {
            format!("{tool}-version-file: {}{file}", self.prefix)
        } else {
            format!("{tool}-version: {default}")
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
        // Builds the package only if the benchmark seems to import its build output.
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

    /// Installs the packages for tests: the project's extras and dependency groups with a usual name, and a requirements
    /// file.
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

    /// Builds with CMake in the folder that contains the executable, or in `build`, with the sources and benchmark options
    /// configured there. Without a configured folder, the program was built differently.
    fn cmake_setup(&self) -> (Vec<String>, Option<String>) {
        let mut steps = Vec::new();
        let usual = PathBuf::from("build");
        let folder = match self.cmake_folder() {
            Some(folder) => folder,
            None if self.is_configured(&usual) => usual,
            None => return (steps, None),
        };
        let cache = self.text(&folder.join("CMakeCache.txt").to_string_lossy());
        // The local build found Google Benchmark outside the project.
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
        // Without a number, Make starts all compilers at once and may run out of memory. Runners have four processors.
        let build = format!(
            "sh -c 'cmake -S {source} -B {folder} -DCMAKE_BUILD_TYPE=Release{options} && cmake --build {folder} --parallel 4'"
        );
        (steps, Some(build))
    }

    /// The configured source folder, relative to the project. `None` if it was configured for another checkout.
    fn cmake_source(&self, cache: &str) -> Option<String> {
        let home = "CMAKE_HOME_DIRECTORY:INTERNAL=";
        let Some(home) = cache.lines().find_map(|line| line.strip_prefix(home)) else {
            return Some(".".to_owned());
        };
        // CMake stores either a link or its target, so compare both forms.
        let roots = [std::path::absolute(self.folder), self.folder.canonicalize()];
        let mut roots = roots.iter().flatten();
        let source = roots.find_map(|root| Path::new(home).strip_prefix(root).ok())?;
        match source.to_str()? {
            "" => Some(".".to_owned()),
            source => Some(source.to_owned()),
        }
    }
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
}
