//! Builds the config from the file: resolves every reference, compiles every pattern, and reports the first mistake
//! with its position.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;

use indexmap::map::Entry;
use indexmap::{IndexMap, IndexSet};
use perf_model::methodology::{HARNESS, TOOLCHAIN};
use perf_model::metric::is_known;
use perf_model::row::{LONGEST_TEXT, Name};
use perf_model::suggest::suggest;

use super::file::{ConfigFile, duration, is_url};
use super::{Config, ConfigError, KnownMetrics, LibraryComparison, ListedScenario, Unlisted};
use crate::file::Spanned;
use crate::glob::{is_match, is_pattern};

pub type Built<T> = Result<T, ConfigError>;

/// Checks a value if the config sets it.
#[expect(clippy::ref_option, reason = "the fields of the file are options")]
pub fn optional<T, U>(written: &Option<T>, check: impl FnOnce(&T) -> Built<U>) -> Built<Option<U>> {
    written.as_ref().map(check).transpose()
}

/// Returns a string without its quotes, and any other value as TOML prints it.
pub fn plain_text(value: &toml::Value) -> String {
    match value {
        toml::Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Checks every entry of a list.
pub fn each<T, U>(written: &[T], check: impl FnMut(&T) -> Built<U>) -> Built<Vec<U>> {
    written.iter().map(check).collect()
}

pub fn build(file: ConfigFile, text: &str) -> Built<Config> {
    let mut builder = ConfigBuilder {
        text,
        file: &file,
        aliases: HashMap::new(),
        known: IndexSet::new(),
        metrics: KnownMetrics::default(),
        mentions: RefCell::default(),
    };
    builder.aliases = builder.aliases()?;
    let layouts = builder.layouts()?;
    let listed = file.metrics.keys().map(|name| Name::from(name.as_str()));
    builder.known = listed.chain(layouts.iter().flatten().cloned()).collect();
    builder.metrics = builder.metrics()?;
    let comparison = optional(&file.comparison, |one| builder.comparison(one))?;
    let files = [&file.files.baseline, &file.files.page, &file.files.packages];
    for path in files.into_iter().flatten() {
        builder.refuse_url(path)?;
    }
    for text in file.run.time_limit.iter().chain(&file.why.time_limit) {
        if let Err(form) = duration(text) {
            let message = format!("`time-limit` is `{text}`, not {form}");
            return Err(builder.error(text, message));
        }
    }
    for format in &file.formats {
        if let Err(message) = format.check() {
            return Err(builder.error(format, message));
        }
    }
    for name in &file.comment.mention {
        builder.check_mention(name)?;
    }
    let mut config = Config {
        primary: optional(&file.primary, |name| builder.metric(name))?,
        unlisted: file.rows.unlisted,
        layouts,
        ignore_columns: file.rows.ignore_columns.clone(),
        unit: file.rows.unit,
        methodology: optional(&file.methodology, |text| builder.methodology(text))?,
        scopes: builder.scopes(&file.scopes)?,
        backends: builder.backends(&file.backends)?,
        scenarios: builder.scenarios(comparison.as_ref())?,
        comparison,
        page: builder.page(&file.page)?,
        deltas: builder.deltas(&file.deltas)?,
        gates: optional(&file.gates, |gates| builder.gates(gates))?,
        required: each(&file.required, |entry| builder.required(entry))?,
        harness: file.harness.clone(),
        history: builder.history(file.history.as_ref())?,
        waivers: each(&file.waivers, |entry| builder.waiver(entry))?,
        mentions: builder.mentions.take(),
        metrics: builder.metrics,
        aliases: builder.aliases,
        file,
    };
    // Put metrics first, because a misspelt metric disables a gate.
    config
        .mentions
        .sort_by_key(|mention| mention.kind != "metric");
    check_references(&config, text)?;
    Ok(config)
}

/// Rejects gates that are relative to an unlisted scenario if the config drops the rows of unlisted scenarios.
fn check_references(config: &Config, text: &str) -> Built<()> {
    for gate in config.file.gates.iter().flatten() {
        for written in gate.relative_to.iter().chain(&gate.minus) {
            if config.unlisted == Unlisted::Drop && !config.lists(written) {
                let message = format!(
                    "no scenario is called `{written}`, and rows of unlisted ones are dropped"
                );
                let listed = config.scenarios.keys().map(AsRef::as_ref);
                return Err(
                    ConfigError::at(text, written, message).with_hint(suggest(written, listed))
                );
            }
        }
    }
    Ok(())
}

/// The state while the config is built. The methods for each part of the config are in that part's module.
pub struct ConfigBuilder<'a> {
    text: &'a str,
    pub file: &'a ConfigFile,
    aliases: HashMap<String, Name>,
    /// The metrics in `[metrics]` and in layouts.
    pub known: IndexSet<Name>,
    /// The metrics in `[metrics]`.
    pub metrics: KnownMetrics,
    /// Names that can only be checked against rows.
    pub mentions: RefCell<Vec<Mention>>,
}

/// A name in the config that can only be checked against rows.
#[derive(Clone, Debug)]
pub struct Mention {
    pub name: String,
    /// The kind of thing that has this name, such as `metric` or `library`.
    pub kind: &'static str,
    /// The name's position in the config, as an error without a message.
    pub place: ConfigError,
}

/// The [`Mention::kind`] of a gated metric. The config or the rows must show whether lower or higher values are better.
pub const GATED: &str = "gated metric";

impl ConfigBuilder<'_> {
    pub fn error(&self, span: impl Into<Range<usize>>, message: impl Into<String>) -> ConfigError {
        ConfigError::at(self.text, span, message)
    }

    /// Returns an error with a hint.
    pub fn refuse<T>(
        &self,
        span: impl Into<Range<usize>>,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Built<T> {
        Err(self.error(span, message).hint(hint))
    }

    fn refuse_url(&self, path: &Path) -> Built<()> {
        let path = path.to_string_lossy();
        if !is_url(&path) {
            return Ok(());
        }
        let at = self.text.find(&*path).unwrap_or_default();
        let message = format!("`{path}` is a URL, not a file");
        self.refuse(at..at, message, "download it first, and pass the file")
    }

    /// Checks that a name from rows or headings is not empty and has no surrounding white space.
    pub fn name<'n>(&self, name: &'n Spanned<String>, what: &str) -> Built<&'n str> {
        let text = name.as_str();
        let (message, hint) = match text.trim() {
            "" => (format!("the {what} is empty"), "set it, or leave it out"),
            trimmed if trimmed == text => return Ok(text),
            _ => (
                format!("`{text}` begins or ends with white space"),
                "remove the white space: names in rows are read without it",
            ),
        };
        self.refuse(name, message, hint)
    }

    /// Resolves an alias to the metric's name in rows. Any other name is returned unchanged.
    pub fn canonical(&self, written: &str) -> Name {
        self.aliases
            .get(written)
            .cloned()
            .unwrap_or_else(|| written.into())
    }

    /// Resolves a reference to a metric in the config. Without `[metrics]`, the metric may also be one that only rows
    /// contain, which is checked later.
    pub fn metric(&self, written: &Spanned<String>) -> Built<Name> {
        let name = self.resolve(written)?;
        // If the config lists metrics, a reference to another one is already an error.
        if !self.lists_metrics() && !is_known(&name) {
            self.mention("metric", written, &name);
        }
        Ok(name)
    }

    /// Like [`Self::metric`], but without `[metrics]`, any metric is accepted.
    pub fn resolve(&self, written: &Spanned<String>) -> Built<Name> {
        let name = self.canonical(written);
        if self.lists_metrics() && !self.known.contains(&name) {
            let known = self.known.iter().map(AsRef::as_ref);
            let error = self.error(written, format!("no metric is called `{written}`"));
            return Err(error.with_hint(suggest(written, known)));
        }
        Ok(name)
    }

    /// Whether only metrics in the config may be referred to. Without `[metrics]`, the rows define the metrics.
    pub fn lists_metrics(&self) -> bool {
        !self.file.metrics.is_empty()
    }

    /// Checks the methodology. It must be one line that fits into a row, without words that the fingerprints of `[harness]`
    /// use.
    fn methodology(&self, text: &Spanned<String>) -> Built<Name> {
        let name = self.name(text, "methodology")?;
        if name.len() > LONGEST_TEXT || name.contains(char::is_control) {
            let message =
                format!("the methodology must be one line of at most {LONGEST_TEXT} bytes");
            return Err(self.error(text, message));
        }
        let is_taken = |word: &&str| word.starts_with(HARNESS) || word.starts_with(TOOLCHAIN);
        if let Some(word) = name.split(' ').find(is_taken) {
            let message = format!(
                "the methodology contains the word `{word}`, which the fingerprints of `[harness]` use"
            );
            return Err(self.error(text, message));
        }
        Ok(name.into())
    }

    /// Checks that a name mentions one person or team and contains no other Markdown.
    fn check_mention(&self, name: &Spanned<String>) -> Built<()> {
        if is_match(r"^@[\w.-]+(/[\w.-]+)?$", name) {
            return Ok(());
        }
        let hint = "a person is `@name`, a team `@organisation/team`";
        self.refuse(name, format!("`{name}` is not a person or team"), hint)
    }

    fn scenarios(
        &self,
        comparison: Option<&LibraryComparison>,
    ) -> Built<IndexMap<Name, ListedScenario>> {
        let mut scenarios = IndexMap::with_capacity(self.file.scenarios.len());
        for entry in &self.file.scenarios {
            let scenario = ListedScenario {
                label: entry.label.clone(),
                primary: optional(&entry.primary, |name| self.metric(name))?,
            };
            self.insert_once(&mut scenarios, &entry.key, scenario, "scenario")?;
            self.refuse_comparison_scenario(&entry.key, comparison)?;
        }
        Ok(scenarios)
    }

    /// Rejects a listed scenario whose key belongs to the comparison.
    fn refuse_comparison_scenario(
        &self,
        key: &Spanned<String>,
        comparison: Option<&LibraryComparison>,
    ) -> Built<()> {
        if let Some(comparison) = comparison
            && let Some((technology, work)) = comparison.split(key)
            && comparison.technologies.contains_key(technology)
        {
            let message =
                format!("`{key}` already means `{work}` of `{technology}` in the comparison");
            let hint = format!("list `{work}` in the scenarios of the comparison instead");
            return self.refuse(key, message, hint);
        }
        Ok(())
    }

    pub fn insert_once<T>(
        &self,
        map: &mut IndexMap<Name, T>,
        key: &Spanned<String>,
        value: T,
        what: &str,
    ) -> Built<()> {
        match map.entry(self.name(key, what)?.into()) {
            Entry::Vacant(slot) => {
                slot.insert(value);
                Ok(())
            }
            Entry::Occupied(_) => {
                Err(self.error(key, format!("a second {what} has the key `{key}`")))
            }
        }
    }

    /// Records a name that can only be checked against rows. Patterns are not recorded.
    pub fn mention(&self, kind: &'static str, span: impl Into<Range<usize>>, name: &str) {
        if !is_pattern(name) {
            self.mentions.borrow_mut().push(Mention {
                name: name.to_owned(),
                kind,
                place: self.error(span, ""),
            });
        }
    }
}
