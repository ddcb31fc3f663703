//! Runs `go test` in two steps: the test binary is built once, and then run many times.
//!
//! `go test -bench` would compile and link in every process run. With short samples, this takes a third of the time.

use std::ffi::OsString;
use std::path::Path;

use super::prefix;
use crate::process::has_end;

/// Options of the test binary that take a value. `go test` accepts them without the prefix `test.`.
const VALUED: [&str; 9] = [
    "bench",
    "benchtime",
    "count",
    "cpu",
    "list",
    "parallel",
    "run",
    "skip",
    "timeout",
];
/// Options of the test binary that take no value.
const FLAGS: [&str; 5] = ["benchmem", "short", "v", "failfast", "fullpath"];
/// Build options that take a value.
const BUILD_VALUED: [&str; 14] = [
    "asmflags",
    "buildmode",
    "compiler",
    "gccgoflags",
    "gcflags",
    "installsuffix",
    "ldflags",
    "mod",
    "modfile",
    "overlay",
    "p",
    "pgo",
    "pkgdir",
    "tags",
];
/// Build options that take no value.
const BUILD_FLAGS: [&str; 7] = [
    "a",
    "asan",
    "buildvcs",
    "modcacherw",
    "msan",
    "race",
    "trimpath",
];
/// A template for `go list` that prints the name and the directory of each package with tests.
const TEMPLATE: &str = "{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}\t{{.Dir}}{{end}}";

/// The build option that passes options to the linker.
const LDFLAGS: &str = "-ldflags=";
/// The first minor version of Go 1 whose linker supports `-funcalign`.
const WITH_FUNCALIGN: u32 = 25;

/// A `go test` command that contains only known options.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct GoTest {
    /// The words before `test`, such as `nice go`.
    go: Vec<OsString>,
    build: Vec<String>,
    packages: Vec<String>,
    options: Vec<String>,
    /// The test binary's arguments after `-args`.
    rest: Vec<OsString>,
}

impl GoTest {
    /// Parses a command. Returns `None` if the command is not `go test`, runs no benchmarks, or contains an option that
    /// does not clearly belong to either the build or the test binary, such as a profile.
    pub fn of(command: &[OsString]) -> Option<Self> {
        let at = prefix::program(command);
        if prefix::stem(command.get(at)?) != "go" || command.get(at + 1)? != "test" {
            return None;
        }
        let mut test = Self {
            go: command[..=at].to_vec(),
            ..Self::default()
        };
        let mut words = command[at + 2..].iter();
        // If options follow the list of packages, the words after them are arguments of the test binary.
        let mut is_behind_packages = false;
        while let Some(word) = words.next() {
            let word = word.to_str()?;
            let Some(option) = word.strip_prefix("--").or_else(|| word.strip_prefix('-')) else {
                // `go test` also accepts Go files instead of packages.
                if is_behind_packages || has_end(word, &["go"]) {
                    return None;
                }
                test.packages.push(word.to_owned());
                continue;
            };
            is_behind_packages = !test.packages.is_empty();
            if option == "args" {
                test.rest = words.cloned().collect();
                break;
            }
            test.sort_option(option, || words.next()?.to_str())?;
        }
        let has_benchmarks = test
            .options
            .iter()
            .any(|option| option.starts_with("-test.bench="));
        has_benchmarks.then_some(test)
    }

    /// Adds an option to the build options or to the test binary's options. Returns `None` if the option is unknown.
    fn sort_option<'w>(
        &mut self,
        option: &str,
        next: impl FnOnce() -> Option<&'w str>,
    ) -> Option<()> {
        let (name, value) = option
            .split_once('=')
            .map_or((option, None), |(name, value)| (name, Some(value)));
        let name = name.strip_prefix("test.").unwrap_or(name);
        let is = |names: &[&str]| names.contains(&name);
        let value = match value {
            Some(value) => value,
            None if is(&VALUED) || is(&BUILD_VALUED) || name == "vet" => next()?,
            None => "true",
        };
        if is(&VALUED) || is(&FLAGS) && matches!(value, "true" | "false") {
            self.options.push(format!("-test.{name}={value}"));
        } else if is(&BUILD_VALUED) || is(&BUILD_FLAGS) {
            self.build.push(format!("-{name}={value}"));
        } else if name != "vet" {
            return None;
        }
        // `-vet` is left out, because building a binary does not run vet.
        Some(())
    }

    /// Returns a command that prints the name and the directory of each package with tests, one per line.
    pub fn list(&self) -> Vec<OsString> {
        let words = self.build.iter().chain(&self.packages).map(String::as_str);
        self.with_go(["list", "-f", TEMPLATE].into_iter().chain(words))
    }

    /// Returns a command that prints Go's root directory, the value of `GOFLAGS`, and Go's version, one per line.
    pub fn environment(&self) -> Vec<OsString> {
        self.with_go(["env", "GOROOT", "GOFLAGS", "GOVERSION"])
    }

    /// Whether functions can be aligned to cache lines. `flags` is the value of `GOFLAGS`. The linker of this Go
    /// version must support it, `flags` must not contain linker options, which would be lost, and neither the command
    /// nor `flags` may choose a compiler or a build mode.
    pub fn aligns_functions(&self, flags: &str, version: &str) -> bool {
        let (_, minor) = version.split_once("go1.").unwrap_or_default();
        let minor = minor.split(|c: char| !c.is_ascii_digit()).next();
        let minor = minor.unwrap_or_default().parse::<u32>();
        let is_set = |option: &str| {
            let begin = format!("-{option}=");
            flags.contains(option) || self.build.iter().any(|word| word.starts_with(&begin))
        };
        minor.is_ok_and(|minor| minor >= WITH_FUNCALIGN)
            && !flags.contains("ldflags")
            && !is_set("compiler")
            && !is_set("buildmode")
    }

    /// Whether `flags` (the value of `GOFLAGS`) contains only build options. If so, the test binary can run without them.
    pub fn allows(flags: &str) -> bool {
        let mut test = Self::default();
        let mut options = flags
            .split_ascii_whitespace()
            .map(|flag| flag.trim_start_matches('-'));
        options.all(|option| test.sort_option(option, || None).is_some()) && test.options.is_empty()
    }

    /// Returns a command that builds a package's test binary. `alignment` is the alignment of functions in bytes, if the
    /// linker supports it.
    pub fn build(&self, package: &str, binary: &Path, alignment: Option<u32>) -> Vec<OsString> {
        let mut words = self.with_go(["test", "-c", "-o"]);
        words.push(binary.into());
        words.extend(self.build.iter().map(OsString::from));
        if let Some(alignment) = alignment {
            // Extend the last `-ldflags` option, because only the last one applies.
            let own = self
                .build
                .iter()
                .rev()
                .find(|option| option.starts_with(LDFLAGS));
            let own = own.map_or(LDFLAGS.to_owned(), |own| format!("{own} "));
            words.push(format!("{own}-funcalign={alignment}").into());
        }
        words.push(package.into());
        words
    }

    /// Returns the command that runs the binary, with the options that `go test` would pass.
    pub fn launch(&self, binary: &Path) -> Vec<OsString> {
        let mut words = self.go.clone();
        // The binary runs instead of `go`.
        words.pop();
        words.push(binary.into());
        words.push("-test.paniconexit0".into());
        if !self
            .options
            .iter()
            .any(|option| option.starts_with("-test.timeout="))
        {
            words.push("-test.timeout=10m0s".into());
        }
        words.extend(self.options.iter().map(OsString::from));
        words.extend_from_slice(&self.rest);
        words
    }

    fn with_go<'w>(&self, words: impl IntoIterator<Item = &'w str>) -> Vec<OsString> {
        self.go
            .iter()
            .cloned()
            .chain(words.into_iter().map(OsString::from))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Option<GoTest> {
        GoTest::of(&line.split(' ').map(OsString::from).collect::<Vec<_>>())
    }

    fn joined(words: &[OsString]) -> String {
        words
            .iter()
            .map(|word| word.to_string_lossy())
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn options_go_to_the_build_or_to_the_binary() {
        let test =
            of("nice -n 5 go test -race -run ^$ --bench=. -benchmem -vet off -tags a,b ./url -args -x 1")
                .unwrap();
        let binary = Path::new("/r/url.test");
        assert_eq!(
            joined(&test.build("example.org/url", binary, None)),
            "nice -n 5 go test -c -o /r/url.test -race=true -tags=a,b example.org/url"
        );
        assert_eq!(
            joined(&test.build("example.org/url", binary, Some(64))),
            "nice -n 5 go test -c -o /r/url.test -race=true -tags=a,b -ldflags=-funcalign=64 example.org/url"
        );
        assert_eq!(
            joined(&test.launch(binary)),
            "nice -n 5 /r/url.test -test.paniconexit0 -test.timeout=10m0s -test.run=^$ -test.bench=. \
             -test.benchmem=true -x 1"
        );
        assert_eq!(
            joined(&test.list()),
            format!("nice -n 5 go list -f {TEMPLATE} -race=true -tags=a,b ./url")
        );
    }

    #[test]
    fn own_timeout_is_kept() {
        let launch = joined(
            &of("go test -timeout 5m -bench .")
                .unwrap()
                .launch(Path::new("t")),
        );
        assert_eq!(
            launch,
            "t -test.paniconexit0 -test.timeout=5m -test.bench=."
        );
    }

    #[test]
    fn aligned_functions_keep_linker_options() {
        let test = of("go test -ldflags -s -bench .").unwrap();
        let words = test.build("p", Path::new("t"), Some(64));
        assert_eq!(words[words.len() - 2], "-ldflags=-s -funcalign=64");
        let aligns = |flags, version| test.aligns_functions(flags, version);
        assert!(
            aligns("", "go1.25")
                && aligns("-mod=mod", "go1.27.3")
                && aligns("", "devel go1.28-0ab1")
        );
        assert!(!aligns("", "go1.24.9") && !aligns("", "") && !aligns("-ldflags=-w", "go1.27.3"));
        assert!(
            !of("go test -buildmode=pie -bench .")
                .unwrap()
                .aligns_functions("", "go1.27.3")
        );
    }

    #[test]
    fn other_commands_are_not_go_tests() {
        for line in [
            "go test ./...",
            "go test -bench . -cpuprofile cpu.out",
            "go test -bench . -json",
            "go test -bench . -v=test2json",
            "go test -exec qemu -bench .",
            "go test -bench . a_test.go",
            "go test a -bench . b",
            "go run -bench .",
            "go test -bench",
            "gotestsum -bench .",
            "./bench",
            "go",
        ] {
            assert_eq!(of(line), None, "{line}");
        }
    }

    #[test]
    fn only_build_options_are_allowed_in_the_environment() {
        let allows = GoTest::allows;
        assert!(allows("") && allows("-mod=mod -tags=x -trimpath"));
        assert!(!allows("-short") && !allows("-mod=mod -json") && !allows("-cpu=1"));
    }
}
