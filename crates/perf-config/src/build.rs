//! Builds the config from the file: resolves every reference, compiles every pattern, and reports the first mistake
//! with its position.

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;

use indexmap::map::Entry;
use indexmap::{IndexMap, IndexSet};
use perf_model::methodology::{HARNESS, TOOLCHAIN};
use perf_model::metric::Declarations;
use perf_model::row::{LONGEST_TEXT, Name};
use perf_model::suggest::suggest;

use super::file::{ConfigFile, duration, is_url};
use super::{Config, ConfigError, LibraryComparison, ListedScenario, check};
use crate::file::Spanned;

pub(super) type Built<T> = Result<T, ConfigError>;

/// Checks a value that may be left out.
pub(super) fn optional<T, U>(
    written: Option<&T>,
    check: impl FnOnce(&T) -> Built<U>,
) -> Built<Option<U>> {
    written.map(check).transpose()
}

pub(super) fn build(file: ConfigFile, text: &str) -> Built<Config> {
    let mut builder = ConfigBuilder {
        text,
        file: &file,
        aliases: HashMap::new(),
        known: None,
    };
    builder.aliases = builder.aliases()?;
    let layouts = builder.layouts()?;
    builder.known = referable_metrics(&file, &layouts);
    let comparison = file
        .comparison
        .as_ref()
        .map(|section| builder.comparison(section))
        .transpose()?;
    let failing = file
        .gates
        .as_ref()
        .map(|gates| gates.iter().map(|entry| builder.gate(entry)).collect());
    file.files
        .paths()
        .try_for_each(|path| builder.refuse_url(path))?;
    for text in file.run.time_limit.iter().chain(&file.why.time_limit) {
        duration(text.get_ref()).map_err(|form| {
            builder.error(
                text.span(),
                format!("`time-limit` is `{}`, not {form}", text.get_ref()),
            )
        })?;
    }
    for format in &file.formats {
        format
            .get_ref()
            .check()
            .map_err(|message| builder.error(format.span(), message))?;
    }
    file.comment
        .mention
        .iter()
        .try_for_each(|name| builder.mention(name))?;
    let config = Config {
        primary: builder.metric_option(file.primary.as_ref())?,
        unlisted: file.rows.unlisted,
        layouts,
        ignore_columns: file.rows.ignore_columns.clone(),
        unit: file.rows.unit,
        methodology: builder.methodology(file.methodology.as_ref())?,
        scopes: builder.scopes(&file.scopes)?,
        backends: builder.backends(&file.backends)?,
        metrics: builder.metrics()?,
        scenarios: builder.scenarios(comparison.as_ref())?,
        comparison,
        page: builder.page(&file.page)?,
        deltas: builder.deltas(&file.deltas)?,
        gates: failing.transpose()?,
        required: file
            .required
            .iter()
            .map(|entry| builder.required(entry))
            .collect::<Built<_>>()?,
        harness: file.harness.clone(),
        history: builder.history(file.history.as_ref())?,
        waivers: file
            .waivers
            .iter()
            .map(|entry| builder.waiver(entry))
            .collect::<Built<_>>()?,
        mentions: builder.mentions(),
        aliases: builder.aliases,
        file,
    };
    check::check(&config, text)?;
    let used: Vec<Name> = config.referred().cloned().collect();
    Ok(config.with_metrics(&Declarations::default(), &used))
}

impl Config {
    /// Names that are looked up for every row, although no row may contain them.
    fn referred(&self) -> impl Iterator<Item = &Name> {
        let gates = self
            .gates
            .iter()
            .flatten()
            .filter(|gate| !gate.is_pattern());
        let scenarios = self
            .scenarios
            .values()
            .filter_map(|scenario| scenario.primary.as_ref());
        self.primary
            .iter()
            .chain(scenarios)
            .chain(
                gates
                    .flat_map(|gate| [Some(&gate.metric), gate.requires.as_ref()])
                    .flatten(),
            )
            .chain(self.deltas.also.iter().flatten())
            .chain(self.layouts.iter().flatten())
    }
}

/// The metrics that the rest of the config may refer to: those listed in the file and those in a layout. `None` if
/// the file lists none, because then rows define them.
fn referable_metrics(file: &ConfigFile, layouts: &[Vec<Name>]) -> Option<IndexSet<Name>> {
    let listed = file
        .metrics
        .keys()
        .map(|name| Name::from(name.get_ref().as_str()));
    let read = layouts.iter().flatten().cloned();
    (!file.metrics.is_empty()).then(|| listed.chain(read).collect())
}

/// The state that all parts share while the config is built. Each part's method is in the module of its result.
pub(super) struct ConfigBuilder<'a> {
    text: &'a str,
    pub(super) file: &'a ConfigFile,
    aliases: HashMap<String, Name>,
    pub(super) known: Option<IndexSet<Name>>,
}

impl ConfigBuilder<'_> {
    pub(super) fn error(&self, span: Range<usize>, message: impl Into<String>) -> ConfigError {
        ConfigError::at(self.text, span, message)
    }

    /// Fails with an error and a hint.
    pub(super) fn refuse<T>(
        &self,
        span: Range<usize>,
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

    /// Checks a name that occurs in rows or headings.
    pub(super) fn name<'n>(&self, name: &'n Spanned<String>, what: &str) -> Built<&'n str> {
        let text = name.get_ref().as_str();
        let (message, hint) = match text.trim() {
            "" => (
                format!("an empty text is not a {what}"),
                "set it, or leave it out",
            ),
            trimmed if trimmed == text => return Ok(text),
            _ => (
                format!("`{text}` begins or ends with white space"),
                "spaces around names in rows are ignored",
            ),
        };
        self.refuse(name.span(), message, hint)
    }

    /// A metric's name in rows, without aliases.
    pub(super) fn canonical(&self, written: &str) -> Name {
        self.aliases
            .get(written)
            .cloned()
            .unwrap_or_else(|| written.into())
    }

    /// Resolves a reference to a metric.
    pub(super) fn metric(&self, written: &Spanned<String>) -> Built<Name> {
        let name = self.canonical(written.get_ref());
        if self
            .known
            .as_ref()
            .is_none_or(|known| known.contains(&name))
        {
            return Ok(name);
        }
        let error = self.error(
            written.span(),
            format!("no metric is called `{}`", written.get_ref()),
        );
        let known = self.known.iter().flatten().map(AsRef::as_ref);
        Err(error.with_hint(suggest(written.get_ref(), known)))
    }

    pub(super) fn metric_option(&self, name: Option<&Spanned<String>>) -> Built<Option<Name>> {
        name.map(|name| self.metric(name)).transpose()
    }

    /// Checks the methodology: every row contains it, so it must fit into a row and read back as itself.
    fn methodology(&self, text: Option<&Spanned<String>>) -> Built<Option<Name>> {
        let Some(text) = text else { return Ok(None) };
        let name = self.name(text, "methodology")?;
        if name.len() > LONGEST_TEXT || name.contains(char::is_control) {
            let message =
                format!("the methodology is not one line of at most {LONGEST_TEXT} bytes");
            return Err(self.error(text.span(), message));
        }
        let is_taken = |word: &str| {
            [HARNESS, TOOLCHAIN]
                .iter()
                .any(|prefix| word.starts_with(prefix))
        };
        if let Some(word) = name.split(' ').find(|word| is_taken(word)) {
            let message = format!(
                "the methodology contains the word `{word}`, which the fingerprints of `[harness]` use"
            );
            return Err(self.error(text.span(), message));
        }
        Ok(Some(name.into()))
    }

    /// Checks that a mention is a person or a team, without any other Markdown.
    fn mention(&self, name: &Spanned<String>) -> Built<()> {
        let is_plain = |part: &str| {
            !part.is_empty()
                && part
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
        };
        let parts = name
            .get_ref()
            .strip_prefix('@')
            .map(|name| name.split('/').collect::<Vec<_>>());
        if parts.is_some_and(|parts| parts.len() <= 2 && parts.iter().all(|part| is_plain(part))) {
            return Ok(());
        }
        let message = format!("`{}` mentions nobody", name.get_ref());
        self.refuse(
            name.span(),
            message,
            "a person is `@name`, a team `@organisation/team`",
        )
    }

    fn scenarios(
        &self,
        comparison: Option<&LibraryComparison>,
    ) -> Built<IndexMap<Name, ListedScenario>> {
        let mut scenarios = IndexMap::with_capacity(self.file.scenarios.len());
        for entry in &self.file.scenarios {
            let primary = self.metric_option(entry.primary.as_ref())?;
            let scenario = ListedScenario {
                label: entry.label.clone(),
                primary,
            };
            self.insert_once(&mut scenarios, &entry.key, scenario, "scenario")?;
            self.refuse_comparison_scenario(&entry.key, comparison)?;
        }
        Ok(scenarios)
    }

    /// Fails for a scenario of the project that looks like one from the comparison.
    fn refuse_comparison_scenario(
        &self,
        key: &Spanned<String>,
        comparison: Option<&LibraryComparison>,
    ) -> Built<()> {
        let Some(comparison) = comparison else {
            return Ok(());
        };
        match comparison.split(key.get_ref()) {
            Some((technology, work)) if comparison.technologies.contains_key(technology) => {
                let message = format!(
                    "in the comparison `{}` is `{work}` of `{technology}`",
                    key.get_ref()
                );
                let hint = format!("list `{work}` in the scenarios of the comparison instead");
                self.refuse(key.span(), message, hint)
            }
            _ => Ok(()),
        }
    }

    pub(super) fn insert_once<T>(
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
            Entry::Occupied(_) => Err(self.error(
                key.span(),
                format!("a second {what} has the key `{}`", key.get_ref()),
            )),
        }
    }
}
