//! A command with options for its benchmark tool.

use std::ffi::{OsStr, OsString};
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

use crate::bench_tools::kinds::{ToolKind, WORK, names_and_value};
use crate::bench_tools::parts::BenchTool;
use crate::bench_tools::{NODE_OPTIONS, filter, node, options};

/// The length of a sample, as a Go option.
const SAMPLE_TIME: &str = "2ms";

/// A command to run, and the options that were added.
#[derive(Clone, Debug)]
pub struct Adjusted {
    /// The program and its arguments.
    pub command: Vec<OsString>,
    /// Environment variables to set unless they are set already. The value of [`NODE_OPTIONS`](crate::bench_tools::NODE_OPTIONS)
    /// is appended instead.
    pub environment: Vec<(&'static str, OsString)>,
    /// The file or directory with the results, if the tool does not print them. If the command specifies it, it may be relative to
    /// the working directory.
    pub results: Option<PathBuf>,
    /// The added options.
    pub added: Vec<String>,
    /// Options of the command that were kept although different values would be set.
    pub kept: Vec<String>,
    found: BenchTool,
}

impl Adjusted {
    /// The variables to set in this process's environment.
    pub fn variables(&self) -> Vec<(OsString, OsString)> {
        let joined = |(name, value): &(&'static str, OsString)| match std::env::var_os(name) {
            None => Some((name.into(), value.clone())),
            Some(mut own) if *name == NODE_OPTIONS => {
                own.push(" ");
                own.push(value);
                Some((name.into(), own))
            }
            Some(_) => None,
        };
        self.environment.iter().filter_map(joined).collect()
    }

    /// Whether Node.js loads a module that changes the tool.
    pub fn has_module(&self) -> bool {
        self.environment
            .iter()
            .any(|(name, _)| *name == NODE_OPTIONS)
    }

    /// Whether the options for short samples can specify iterations instead of a time. Not if the command already contains such an
    /// option.
    pub fn takes_iterations(&self) -> bool {
        for setting in self.found.tool.profile().short {
            let (names, value) = names_and_value(setting);
            if value == WORK {
                return self.added.contains(&format!("{}={SAMPLE_TIME}", names[0]));
            }
        }
        false
    }

    /// Adds an option with its first name, unless the command contains it under any name.
    #[must_use]
    pub fn with_missing(&self, names: &[&str], value: &str) -> Self {
        let mut adjusted = self.clone();
        if options::find(&adjusted.found.arguments, names).is_none() {
            adjusted.add(names, value);
            adjusted.rebuild();
        }
        adjusted
    }

    /// Replaces the command's filter, so that it runs these benchmarks, given their row names. If the tool's filter is coarse, more
    /// benchmarks run, but never fewer. Returns `None` if the tool has no filter, or a name cannot be an argument.
    pub fn only<S: AsRef<str>>(&self, benchmarks: &[S]) -> Option<Self> {
        let names: Vec<&str> = benchmarks.iter().map(AsRef::as_ref).collect();
        if names.is_empty()
            || names
                .iter()
                .any(|name| name.is_empty() || name.contains('\0'))
        {
            return None;
        }
        let mut narrowed = self.clone();
        if let Some(filter) = filter::filter_for(&narrowed.found, &names) {
            narrowed.found.arguments = filter.remaining;
            narrowed.found.extend(filter.words);
            narrowed.rebuild();
        } else if self.has_module() && self.found.tool != ToolKind::Vitest {
            // Our Node.js module selects the benchmarks. Vitest has its own filter, unless a package.json script sets it.
            let names = serde_json::json!(names).to_string();
            narrowed.environment.push((node::ONLY, names.into()));
        } else {
            return None;
        }
        Some(narrowed)
    }

    /// A note about the added and kept options, if there are any.
    pub fn note(&self) -> Option<String> {
        let mut parts = Vec::new();
        if !self.added.is_empty() {
            parts.push(format!("added {}", self.added.join(" ")));
        }
        if !self.kept.is_empty() {
            parts.push(format!("kept {}", self.kept.join(" ")));
        }
        let change = self
            .found
            .tool
            .profile()
            .module
            .filter(|_| self.has_module());
        parts.extend(change.map(|change| format!("{change} by {NODE_OPTIONS}")));
        (!parts.is_empty()).then(|| format!("{}: {}", self.found.tool.name(), parts.join("; ")))
    }

    /// The output format, if an added option sets it.
    pub fn format(&self) -> Option<&'static str> {
        self.added
            .iter()
            .any(|option| option.ends_with("json") || option.ends_with("xml"))
            .then(|| self.tool().format())
    }

    /// Whether the command may print this format.
    pub fn prints(&self, format: &str) -> bool {
        let is_of_tool = || ToolKind::of_format(format) == Some(self.tool());
        self.format().map_or_else(is_of_tool, |own| format == own)
    }

    /// Restricts `cargo bench` to bench targets, because it passes the options to tests as well, which reject them.
    fn choose_targets(&mut self) {
        for target in std::mem::take(&mut self.found.targets) {
            self.added.push(format!("--bench={target}"));
            self.found.front.push(format!("--bench={target}").into());
        }
    }

    /// Sets an environment variable, or adds an option unless the command contains it.
    fn add_unless_set(&mut self, names: &[&'static str], value: &str) {
        if !names[0].starts_with('-') {
            self.added.push(format!("{}={value}", names[0]));
            self.environment.push((names[0], value.into()));
            return;
        }
        let own = options::find(&self.found.arguments, names);
        match own.or_else(|| options::find(&self.found.script, names)) {
            Some(own) => self.kept.push(own.to_string_lossy().into_owned()),
            None => self.add(names, value),
        }
    }

    /// Switches off options in the project's config, unless the command sets them itself.
    fn counter_config(&mut self) {
        for (setting, counter) in self.found.tool.profile().countered {
            let (mut names, _) = names_and_value(setting);
            let is_configured = options::find(&self.found.configured, &names).is_some();
            names.push(counter);
            if is_configured && options::find(&self.found.arguments, &names).is_none() {
                self.add(&[counter], "");
            }
        }
    }

    fn add(&mut self, names: &[&str], value: &str) {
        let Some(name) = names.first() else { return };
        let words = match value {
            "" => vec![OsString::from(name)],
            value => option(name, OsStr::new(value), self.found.tool.profile().is_joined),
        };
        self.added
            .extend(words.iter().map(|word| word.to_string_lossy().into_owned()));
        self.found.extend(words);
    }

    /// Makes the tool write its results to a path, unless the command specifies one.
    fn direct_results(&mut self, path: &Path) {
        self.direct_by_variable(path);
        let profile = self.found.tool.profile();
        let [name, ..] = profile.results else { return };
        let names = profile.results;
        let own = options::values(&self.found.arguments, names).last();
        let own = own.or_else(|| options::values(&self.found.script, names).last());
        if own.is_none() {
            let words = option(name, path.as_os_str(), profile.is_joined);
            self.found.extend(words);
        }
        self.results = Some(own.map_or_else(|| path.to_owned(), PathBuf::from));
    }

    fn direct_by_variable(&mut self, path: &Path) {
        let Some((variable, below)) = self.found.tool.profile().results_environment else {
            return;
        };
        let mut value = path.to_owned();
        if !below.is_empty() {
            value.push(below);
        }
        self.environment.push((variable, value.into()));
        self.results = Some(path.to_owned());
    }

    fn rebuild(&mut self) {
        self.command = self.found.command();
    }

    /// The tool.
    pub fn tool(&self) -> ToolKind {
        self.found.tool
    }
}

impl BenchTool {
    /// The original command.
    pub fn as_is(&self) -> Adjusted {
        Adjusted {
            command: self.command(),
            environment: Vec::new(),
            results: None,
            added: Vec::new(),
            kept: Vec::new(),
            found: self.clone(),
        }
    }

    /// The original command, with the path of its results if an environment variable sets it. Not for Criterion, whose results
    /// are found without it.
    pub fn as_is_into(&self, results: &Path) -> Adjusted {
        let mut adjusted = self.as_is();
        if self.tool != ToolKind::Criterion {
            adjusted.direct_by_variable(results);
        }
        adjusted
    }

    /// Adds options for this number of samples of 2 ms, or twice as many of 0.5 ms, per benchmark. Keeps options that the
    /// command already contains. Criterion needs at least 10 samples.
    ///
    /// `results` is an absolute path for tools that write their samples to a file or directory. The caller must remove it before
    /// each process run: Criterion would leave results of other benchmarks there, and pyperf refuses to overwrite it.
    pub fn samples(&self, samples: u32, results: &Path) -> Adjusted {
        self.short(samples, SAMPLE_TIME, results)
    }

    /// Does the same as [`Self::samples`], with fixed iterations per sample, if [`Adjusted::takes_iterations`]. Otherwise Go runs
    /// each benchmark at least three times to determine the number of iterations, each time after a garbage collection.
    pub fn samples_of(&self, iterations: NonZeroU64, samples: u32, results: &Path) -> Adjusted {
        self.short(samples, &format!("{iterations}x"), results)
    }

    /// Adds options for short samples with this time or number of iterations.
    fn short(&self, samples: u32, work: &str, results: &Path) -> Adjusted {
        let profile = self.tool.profile();
        let mut adjusted = self.as_is();
        if !profile.short.is_empty() {
            adjusted.choose_targets();
        }
        let (each, length) = profile.samples;
        let number = (samples * each).max(profile.fewest);
        let time = (length * number).as_secs_f64().to_string();
        for setting in profile.short {
            let (names, value) = names_and_value(setting);
            let value = value
                .replace("{}", &number.to_string())
                .replace("{time}", &time)
                .replace(WORK, work);
            adjusted.add_unless_set(&names, &value);
        }
        adjusted.counter_config();
        if profile.module.is_some() {
            let environment = &mut adjusted.environment;
            environment.push((NODE_OPTIONS, node::option().into()));
            environment.push((node::TIME, time.clone().into()));
        }
        adjusted.direct_results(results);
        adjusted.rebuild();
        adjusted
    }

    /// Makes every process run do the same work: `iterations` of each benchmark, or as many samples of one iteration if the tool,
    /// or an old version of it, cannot set iterations. Returns `None` if the tool only accepts times.
    pub fn same_work(&self, iterations: NonZeroU64, results: &Path) -> Option<Adjusted> {
        let profile = self.tool.profile();
        // Options in a package.json script cannot be removed.
        if profile.fixed.is_empty() || !self.script.is_empty() {
            return None;
        }
        let mut adjusted = self.as_is();
        adjusted.choose_targets();
        let number = iterations.get().max(u64::from(profile.fewest)).to_string();
        for setting in profile.fixed {
            let (names, value) = names_and_value(setting);
            let arguments = &mut adjusted.found.arguments;
            if value.is_empty() {
                // A flag: the next word is not its value.
                arguments.retain(|word| !names.iter().any(|name| word == name));
            } else {
                *arguments = options::without(arguments, &names);
            }
            adjusted.add_unless_set(&names, &value.replace("{}", &number));
        }
        adjusted.counter_config();
        adjusted.direct_results(results);
        adjusted.rebuild();
        Some(adjusted)
    }
}

/// The words for an option with its value.
fn option(name: &str, value: &OsStr, is_joined: bool) -> Vec<OsString> {
    if !is_joined {
        return vec![name.into(), value.into()];
    }
    let mut word = OsString::from(name);
    word.push("=");
    word.push(value);
    vec![word]
}
