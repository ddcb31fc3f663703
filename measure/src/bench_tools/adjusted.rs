//! Commands with added options for their benchmark tool.

use std::ffi::{OsStr, OsString};
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

use super::kinds::{ToolKind, names_and_value};
use super::parts::BenchTool;
use super::{NODE_OPTIONS, filter, node, options};

/// The length of a sample, in the syntax of Go's `-benchtime`.
const SAMPLE_TIME: &str = "2ms";

/// A command to run, and the options that were added to it.
#[derive(Clone)]
pub struct Adjusted {
    /// Environment variables to set if they are not set yet. The value of
    /// [`NODE_OPTIONS`](crate::bench_tools::NODE_OPTIONS) is appended to an existing value instead.
    pub environment: Vec<(&'static str, OsString)>,
    /// The file or directory to which the tool writes its results, if it does not print them. A path from the original
    /// command may be relative to the working directory.
    pub results: Option<PathBuf>,
    /// True if `results` is our path, not one that the command already contained.
    pub owns_results: bool,
    /// The options that were added to the command.
    pub added: Vec<String>,
    /// Options that were not added, because the command already contains them.
    pub kept: Vec<String>,
    found: BenchTool,
}

impl Adjusted {
    /// Returns the environment variables to set for the command, given this process's environment.
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

    /// Whether Node.js preloads `batches.mjs`, which adjusts the tool.
    pub fn has_module(&self) -> bool {
        self.environment
            .iter()
            .any(|(name, _)| *name == NODE_OPTIONS)
    }

    /// Whether the length of a short sample can be set as a number of iterations instead of a time. It cannot if the
    /// command already sets the length.
    pub fn takes_iterations(&self) -> bool {
        // Only an option for the length of a sample has this value.
        let value = format!("={SAMPLE_TIME}");
        self.added.iter().any(|option| option.ends_with(&value))
    }

    /// Adds an option under the first of its names, unless the command already contains it under any of them.
    #[must_use]
    pub fn with_missing(&self, names: &[&str], value: &str) -> Self {
        let mut adjusted = self.clone();
        if options::find(&adjusted.found.arguments, names).is_none() {
            adjusted.add(names, value);
        }
        adjusted
    }

    /// Replaces the command's filter, so that it runs only the benchmarks with these row names. If the tool's filter is
    /// coarse, more benchmarks run, but never fewer. Returns `None` if the tool's filter cannot be set, if `benchmarks`
    /// is empty, or if a name cannot be passed as an argument.
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
        } else if self.has_module() && self.found.tool != ToolKind::Vitest {
            // Our Node.js module selects the benchmarks, except in Vitest. Vitest has its own filter, which a package.json
            // script may already set.
            let names = serde_json::json!(names).to_string();
            narrowed.environment.push((node::ONLY, names.into()));
        } else {
            return None;
        }
        Some(narrowed)
    }

    /// Describes the added and kept options and the changes by our Node.js module, if any.
    pub fn note(&self) -> Option<String> {
        let mut parts = Vec::new();
        if !self.added.is_empty() {
            parts.push(format!("added {}", self.added.join(" ")));
        }
        if !self.kept.is_empty() {
            parts.push(format!("kept {}", self.kept.join(" ")));
        }
        if let Some(change) = self.found.tool.profile().module
            && self.has_module()
        {
            parts.push(format!("{change} by {NODE_OPTIONS}"));
        }
        (!parts.is_empty()).then(|| format!("{}: {}", self.found.tool.name(), parts.join("; ")))
    }

    /// Returns the output format if an added option sets it.
    pub fn format(&self) -> Option<&'static str> {
        self.added
            .iter()
            .any(|option| option.ends_with("json") || option.ends_with("xml"))
            .then(|| self.tool().format())
    }

    /// Whether the output may be in this format: the one that an added option sets, or otherwise any of the tool's formats.
    pub fn prints(&self, format: &str) -> bool {
        let is_of_tool = || ToolKind::of_format(format) == Some(self.tool());
        self.format().map_or_else(is_of_tool, |own| format == own)
    }

    /// Restricts `cargo bench` to bench targets. Otherwise cargo would pass the added options to tests as well, which
    /// reject them.
    fn choose_targets(&mut self) {
        for target in std::mem::take(&mut self.found.targets) {
            self.added.push(format!("--bench={target}"));
            self.found.front.push(format!("--bench={target}").into());
        }
    }

    /// Adds an option, unless the command already contains it. A name without a dash is an environment variable.
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

    /// Switches off options in the project's config that disturb measurements, unless the command itself sets them.
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
        let name = names[0];
        let words = match value {
            "" => vec![OsString::from(name)],
            value => option(name, OsStr::new(value), self.found.tool.profile().is_joined),
        };
        self.added
            .extend(words.iter().map(|word| word.to_string_lossy().into_owned()));
        self.found.extend(words);
    }

    /// Makes the tool write its results to `path`, unless the command specifies another path.
    fn direct_results(&mut self, path: &Path) {
        self.direct_by_variable(path);
        let profile = self.found.tool.profile();
        let names = profile.results;
        let [name, ..] = names else { return };
        let own = options::values(&self.found.arguments, names).last();
        let own = own.or_else(|| options::values(&self.found.script, names).last());
        self.owns_results = own.is_none();
        if self.owns_results {
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
        self.owns_results = true;
    }

    /// Returns the program and its arguments.
    pub fn command(&self) -> Vec<OsString> {
        self.found.command()
    }

    /// The tool that the command runs.
    pub fn tool(&self) -> ToolKind {
        self.found.tool
    }
}

impl BenchTool {
    /// Returns the original command, unchanged.
    pub fn as_is(&self) -> Adjusted {
        Adjusted {
            environment: Vec::new(),
            results: None,
            owns_results: false,
            added: Vec::new(),
            kept: Vec::new(),
            found: self.clone(),
        }
    }

    /// Returns the original command. If the tool has an environment variable for the path of its results, sets it to
    /// `results`, except for Criterion, whose results are found without it.
    pub fn as_is_into(&self, results: &Path) -> Adjusted {
        let mut adjusted = self.as_is();
        if self.tool != ToolKind::Criterion {
            adjusted.direct_by_variable(results);
        }
        adjusted
    }

    /// Adds options to take this number of 2 ms samples per benchmark. Some tools take twice as many shorter samples
    /// instead, and Criterion takes at least 10. Options that the command already contains are kept.
    ///
    /// `results` is an absolute path, which tools use if they write their samples to a file or directory. The caller must
    /// remove it before each process run: Criterion would keep old results of other benchmarks there, and pyperf refuses to
    /// overwrite it.
    pub fn samples(&self, samples: u32, results: &Path) -> Adjusted {
        self.short(samples, SAMPLE_TIME, results)
    }

    /// Like [`Self::samples`], but with a fixed number of iterations per sample. Callers must check
    /// [`Adjusted::takes_iterations`] first. This is faster: to find the number of iterations for a time, Go runs each
    /// benchmark at least three times, each time after a garbage collection.
    pub fn samples_of(&self, iterations: NonZeroU64, samples: u32, results: &Path) -> Adjusted {
        self.short(samples, &format!("{iterations}x"), results)
    }

    /// Adds options for short samples. `work` is the time or the number of iterations of a sample.
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
                .replace("{work}", work);
            adjusted.add_unless_set(&names, &value);
        }
        adjusted.counter_config();
        if profile.module.is_some() {
            let environment = &mut adjusted.environment;
            environment.push((NODE_OPTIONS, node::option().into()));
            environment.push((node::TIME, time.clone().into()));
        }
        adjusted.direct_results(results);
        adjusted
    }

    /// Makes every process run do the same work: `iterations` iterations of each benchmark. If the tool, or an old version
    /// of it, cannot set iterations, it takes that number of samples with one iteration each. Returns `None` if the tool
    /// only accepts times, or if a package.json script starts it.
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
                // For a flag, the next word is not a value.
                arguments.retain(|word| !names.iter().any(|name| word == name));
            } else {
                *arguments = options::without(arguments, &names);
            }
            adjusted.add_unless_set(&names, &value.replace("{}", &number));
        }
        adjusted.counter_config();
        adjusted.direct_results(results);
        Some(adjusted)
    }

    /// Runs each benchmark as rarely as possible: once, with the tool's option for that, or ten times. The option also
    /// skips the tool's evaluation of the samples, which link-time optimization may compile differently in each build.
    /// Returns `None` if [`same_work`](Self::same_work) does.
    pub fn fewest_iterations(&self, results: &Path) -> Option<Adjusted> {
        let ten = NonZeroU64::MIN.saturating_add(9);
        let mut adjusted = self.same_work(ten, results)?;
        if let Some(once) = self.tool.profile().once {
            adjusted.add(&[once], "");
        }
        Some(adjusted)
    }
}

/// Returns an option and its value as command-line words: joined with `=`, or as two words.
fn option(name: &str, value: &OsStr, is_joined: bool) -> Vec<OsString> {
    if !is_joined {
        return vec![name.into(), value.into()];
    }
    let mut word = OsString::from(name);
    word.push("=");
    word.push(value);
    vec![word]
}
