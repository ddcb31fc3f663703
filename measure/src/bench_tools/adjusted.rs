//! A command with the options of its tool.

use std::ffi::{OsStr, OsString};
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

use crate::bench_tools::detect::Found;
use crate::bench_tools::kinds::{Setting, ToolKind, WORK};
use crate::bench_tools::{NODE_OPTIONS, SAMPLES, filter, node, options};

/// The length of a sample as an option of Go.
const SAMPLE_TIME: &str = "2ms";

/// Options of Criterion for one iteration in each sample, and the least work on its own report.
const ONE_BY_ONE: [(&str, &str); 5] = [
    ("--sample-size", "{}"),
    ("--warm-up-time", "0.000000001"),
    ("--measurement-time", "0.000000001"),
    ("--nresamples", "10"),
    ("--noplot", ""),
];

/// A command to launch, and what it got in addition.
#[derive(Clone, Debug)]
pub struct Adjusted {
    /// The program and its arguments.
    pub command: Vec<OsString>,
    /// Variables that the command gets, unless the environment has them already; to [`NODE_OPTIONS`](crate::bench_tools::NODE_OPTIONS) they
    /// are added.
    pub environment: Vec<(&'static str, OsString)>,
    /// The file or folder with the results, if the tool does not print them; relative to the folder of the launch if
    /// the command named it so.
    pub results: Option<PathBuf>,
    /// The options that were added, as they are written.
    pub added: Vec<String>,
    /// The options of the command that were kept although others would be set.
    pub kept: Vec<String>,
    /// The reason nothing is added, or the limits of the options.
    pub remark: Option<&'static str>,
    found: Found,
}

impl Adjusted {
    /// The variables that a launch gets with this environment: those that it lacks, and what is added to Node's options.
    pub fn variables(&self) -> Vec<(&'static str, OsString)> {
        let joined = |(name, value): &(&'static str, OsString)| match std::env::var_os(name) {
            None => Some((*name, value.clone())),
            Some(mut own) if *name == NODE_OPTIONS => {
                own.push(" ");
                own.push(value);
                Some((*name, own))
            }
            Some(_) => None,
        };
        self.environment.iter().filter_map(joined).collect()
    }

    /// True if Node.js loads a module that changes the tool.
    pub fn has_module(&self) -> bool {
        self.environment
            .iter()
            .any(|(name, _)| *name == NODE_OPTIONS)
    }

    pub(crate) fn as_is(found: &Found) -> Self {
        Self {
            command: found.words.clone(),
            environment: Vec::new(),
            results: None,
            added: Vec::new(),
            kept: Vec::new(),
            remark: None,
            found: found.clone(),
        }
    }

    pub(crate) fn as_is_into(found: &Found, results: &Path) -> Self {
        let mut adjusted = Self::as_is(found);
        if found.tool != ToolKind::Criterion {
            adjusted.direct_by_variable(results);
        }
        adjusted
    }

    /// Short samples, of a time or of this many iterations.
    pub(crate) fn short(
        found: &Found,
        samples: u32,
        iterations: Option<NonZeroU64>,
        results: &Path,
    ) -> Self {
        let work = iterations.map_or_else(|| SAMPLE_TIME.to_owned(), |number| format!("{number}x"));
        let profile = found.tool.profile();
        let mut adjusted = Self::as_is(found);
        adjusted.remark = profile.remark;
        if !profile.short.is_empty() {
            adjusted.choose_targets();
        }
        let filled = |samples: u32, value: &str| {
            if found.in_seconds && (value == "{time}" || value.starts_with("0.")) {
                return "1".to_owned();
            }
            let (each, length) = profile.samples;
            let number = (samples * each).max(profile.fewest);
            let time = (length * number).as_secs_f64().to_string();
            value
                .replace("{}", &number.to_string())
                .replace("{time}", &time)
                .replace(WORK, &work)
        };
        for setting in profile.short {
            adjusted.add_unless_set(
                setting,
                &filled(samples, setting.value),
                &filled(SAMPLES, setting.value),
            );
        }
        adjusted.counter_config();
        adjusted.set_environment(profile.short_environment, |value| filled(samples, value));
        if profile.module.is_some() {
            adjusted
                .environment
                .push((NODE_OPTIONS, node::option().into()));
            adjusted
                .environment
                .push((node::TIME, filled(samples, "{time}").into()));
        }
        adjusted.direct_results(results);
        adjusted.rebuild();
        adjusted
    }

    /// True if the tool finds the number of iterations anew for each sample, and can be told it: the options for short samples
    /// then say either their time or their iterations. Not where the command has an option of its own for that.
    pub fn takes_iterations(&self) -> bool {
        let settings = self.found.tool.profile().short.iter();
        let work = settings.filter(|setting| setting.value == WORK);
        work.flat_map(|setting| setting.names).any(|name| {
            let option = format!("{name}={SAMPLE_TIME}");
            self.added.contains(&option)
        })
    }

    pub(crate) fn fixed(found: &Found, iterations: NonZeroU64, results: &Path) -> Option<Self> {
        let profile = found.tool.profile();
        // What a script of package.json says cannot be taken back.
        if !profile.is_countable() || !found.script.is_empty() {
            return None;
        }
        let mut adjusted = Self::as_is(found);
        let number = iterations.to_string();
        for setting in profile.fixed {
            if setting.value.is_empty() {
                // A flag: the word behind it is no value of it.
                adjusted
                    .found
                    .arguments
                    .retain(|word| !setting.names.iter().any(|name| word == name));
            } else {
                adjusted.found.arguments =
                    options::without(&adjusted.found.arguments, setting.names);
            }
            adjusted.add(setting.names, &setting.value.replace("{}", &number));
        }
        adjusted.counter_config();
        adjusted.set_environment(profile.fixed_environment, |value| {
            value.replace("{}", &number)
        });
        adjusted.direct_results(results);
        adjusted.rebuild();
        Some(adjusted)
    }

    /// As many samples as iterations, of one each, as an iteration takes longer than a sample's share of the time. `None` if
    /// the tool has no such options.
    pub(crate) fn one_by_one(
        found: &Found,
        iterations: NonZeroU64,
        results: &Path,
    ) -> Option<Self> {
        let options: &[(&str, &str)] = match found.tool {
            ToolKind::Criterion if found.in_seconds => return None,
            ToolKind::Criterion => &ONE_BY_ONE,
            // Before 1.8, it has no option for a number of iterations.
            ToolKind::GoogleBenchmark => &[
                ("--benchmark_min_time", "0.000000001"),
                ("--benchmark_repetitions", "{}"),
            ],
            _ => return None,
        };
        let mut adjusted = Self::as_is(found);
        let number = iterations
            .get()
            .max(u64::from(found.tool.profile().fewest))
            .to_string();
        adjusted.choose_targets();
        for (name, value) in options {
            adjusted.found.arguments = options::without(&adjusted.found.arguments, &[name]);
            adjusted.add(&[name], &value.replace("{}", &number));
        }
        adjusted.direct_results(results);
        adjusted.rebuild();
        Some(adjusted)
    }

    /// The command with an option in one of its spellings, unless it has it; the first spelling is added.
    #[must_use]
    pub fn with_missing(&self, names: &[&str], value: &str) -> Self {
        let mut adjusted = self.clone();
        if options::find(&adjusted.found.arguments, names).is_none() {
            adjusted.add(names, value);
            adjusted.rebuild();
        }
        adjusted
    }

    /// The command for just these benchmarks, as rows name them, in place of its own filter. More may run than asked
    /// for, as far as the filter of the tool is coarse, but never fewer. `None` if the tool has no filter, or a name
    /// cannot be an argument.
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
        let Some(filter) = filter::of(&narrowed.found, &names) else {
            return self.only_by_module(&names);
        };
        narrowed.found.arguments = filter.remaining;
        narrowed.found.extend(filter.place, filter.words);
        narrowed.rebuild();
        Some(narrowed)
    }

    /// The filter of tools without one, by the module that changes them.
    fn only_by_module(&self, names: &[&str]) -> Option<Self> {
        // Vitest has a filter, unless a script of package.json sets it.
        (self.has_module() && self.found.tool != ToolKind::Vitest).then(|| {
            let mut narrowed = self.clone();
            narrowed
                .environment
                .push((node::ONLY, serde_json::json!(names).to_string().into()));
            narrowed
        })
    }

    /// One line for people: the options that were added and kept. `None` if there is nothing to say.
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
        parts.extend(self.remark.map(str::to_owned));
        (!parts.is_empty()).then(|| format!("{}: {}", self.found.tool.name(), parts.join("; ")))
    }

    /// The format of the output, as the readers name it, where an added option says so.
    pub fn format(&self) -> Option<&'static str> {
        self.added
            .iter()
            .any(|option| option.ends_with("json") || option.ends_with("xml"))
            .then(|| self.tool().format())
    }

    /// True if output of this format can be that of the command: a tool that got an option for its format has that one.
    pub fn prints(&self, format: &str) -> bool {
        let is_of_tool = || ToolKind::of_format(format) == Some(self.tool());
        self.format().map_or_else(is_of_tool, |own| format == own)
    }

    /// Options of the tool are unknown to the tests that `cargo bench` starts, too.
    fn choose_targets(&mut self) {
        for target in std::mem::take(&mut self.found.targets) {
            self.added.push(format!("--bench={target}"));
            self.found.front.push(format!("--bench={target}").into());
        }
    }

    /// Adds an option, unless the command has it with a value that is not the `usual` one of this library: a stored command has
    /// that.
    fn add_unless_set(&mut self, setting: &Setting, value: &str, usual: &str) {
        if options::values(&self.found.arguments, setting.names).eq([usual]) {
            self.found.arguments = options::without(&self.found.arguments, setting.names);
        }
        let own = options::find(&self.found.arguments, setting.names);
        match own.or_else(|| options::find(&self.found.script, setting.names)) {
            Some(own) => self.kept.push(own.to_string_lossy().into_owned()),
            None => self.add(setting.names, value),
        }
    }

    /// Switches off what the project's config has for all tests, unless the command itself decides it.
    fn counter_config(&mut self) {
        for Setting { names, value } in self.found.tool.profile().countered {
            let is_configured = options::find(&self.found.configured, names).is_some();
            let arguments = &self.found.arguments;
            let own =
                options::find(arguments, names).or_else(|| options::find(arguments, &[value]));
            if is_configured && own.is_none() {
                self.add(&[value], "");
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
        self.found.extend(self.found.place, words);
    }

    fn set_environment(
        &mut self,
        variables: &[(&'static str, &str)],
        filled: impl Fn(&str) -> String,
    ) {
        for (name, value) in variables {
            let value = filled(value);
            self.added.push(format!("{name}={value}"));
            self.environment.push((name, value.into()));
        }
    }

    /// Makes the tool leave its results at a path, unless the command names one.
    fn direct_results(&mut self, path: &Path) {
        self.direct_by_variable(path);
        let profile = self.found.tool.profile();
        let Some(names) = profile.results else { return };
        let own = options::values(&self.found.arguments, names).last();
        let own = own.or_else(|| options::values(&self.found.script, names).last());
        self.results = Some(own.as_ref().map_or_else(|| path.to_owned(), PathBuf::from));
        if let (None, [name, ..]) = (own, names) {
            let words = option(name, path.as_os_str(), profile.is_joined);
            self.found.extend(self.found.place, words);
        }
    }

    fn direct_by_variable(&mut self, path: &Path) {
        if let Some((variable, folder)) = self.found.tool.profile().results_variable(path) {
            self.environment.push((variable, folder.into()));
            self.results = Some(path.to_owned());
        }
    }

    fn rebuild(&mut self) {
        self.command = self.found.command();
    }

    /// The tool.
    pub fn tool(&self) -> ToolKind {
        self.found.tool
    }
}

/// The words of an option with its value.
fn option(name: &str, value: &OsStr, is_joined: bool) -> Vec<OsString> {
    if !is_joined {
        return vec![name.into(), value.into()];
    }
    let mut word = OsString::from(name);
    word.push("=");
    word.push(value);
    vec![word]
}
