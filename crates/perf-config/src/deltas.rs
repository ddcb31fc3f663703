//! The table of differences and its limits.

use super::build::{Built, ConfigBuilder, each, optional};
use super::file::DeltasSection;
use super::{FailOn, FailOnList, Plus};
use crate::file::Spanned;
use crate::glob::is_match;
use perf_model::row::Name;
use perf_model::suggest::suggest;

/// The default limit: the largest change for the worse that passes, relative to the baseline.
pub(super) const LIMIT: f64 = 0.33;

/// The table of differences.
#[derive(Clone, Debug)]
pub struct DeltasConfig {
    /// The tolerance, relative to the baseline. Smaller changes are shown as unchanged.
    pub tolerance: f64,
    /// The largest change for the worse that passes, relative to the baseline: an increase in cost, or a decrease in
    /// rate.
    pub limit: f64,
    /// Whether the config sets the limit.
    pub explicit_limit: bool,
    /// The meaning of a plus sign before a percentage.
    pub plus: Plus,
    /// The metrics on a scenario's line after its primary metric. `None` gives each metric its own line.
    pub also: Option<Vec<Name>>,
    /// The verdicts that fail a change.
    pub fail_on: FailOnList,
    /// The only scope that is compared; `None` compares all scopes.
    pub scope: Option<String>,
    /// Whether base and head rows with the same `runIndex` were measured as a pair.
    pub paired: bool,
    /// The URL of the published site, without a trailing slash.
    pub site: Option<String>,
}

impl ConfigBuilder<'_> {
    pub(super) fn deltas(&self, section: &DeltasSection) -> Built<DeltasConfig> {
        let limit = optional(&section.limit, |number| self.limit(number, "limit"))?;
        Ok(DeltasConfig {
            tolerance: self.tolerance(&section.tolerance)?,
            limit: limit.unwrap_or(LIMIT),
            explicit_limit: limit.is_some(),
            plus: section.plus,
            also: optional(&section.also, |names| each(names, |name| self.metric(name)))?,
            fail_on: self.fail_on(section.fail_on.as_deref())?,
            scope: optional(&section.scope, |scope| self.scope(scope))?,
            paired: section.paired,
            site: optional(&section.site, |site| self.url(site))?,
        })
    }

    /// Checks a URL and removes trailing slashes. Only characters that cannot end a Markdown link are allowed.
    fn url(&self, text: &Spanned<String>) -> Built<String> {
        let url = text.trim_end_matches('/');
        if is_match(r"^https://[\w.~/:-]+$", url) {
            return Ok(url.to_owned());
        }
        self.refuse(
            text,
            "invalid site URL",
            "write it like `https://octo.github.io/quill`",
        )
    }

    /// Checks that a scope is listed. If the config lists no scopes, any name is valid, because each platform is a scope.
    fn scope(&self, name: &Spanned<String>) -> Built<String> {
        let known: Vec<&str> = self
            .file
            .scopes
            .iter()
            .map(|scope| scope.name.as_str())
            .collect();
        if known.is_empty() || known.contains(&name.as_str()) {
            return Ok(name.to_string());
        }
        let error = self.error(name, format!("no scope is called `{name}`"));
        Err(error.with_hint(suggest(name, known)))
    }

    fn fail_on(&self, verdicts: Option<&[Spanned<FailOn>]>) -> Built<FailOnList> {
        let Some(verdicts) = verdicts else {
            return Ok(vec![FailOn::Regressed, FailOn::Missing]);
        };
        let mut fail_on = Vec::with_capacity(verdicts.len());
        for verdict in verdicts {
            if fail_on.contains(&**verdict) {
                return Err(self.error(verdict, format!("`{verdict}` is listed twice")));
            }
            fail_on.push(**verdict);
        }
        Ok(fail_on)
    }

    fn tolerance(&self, number: &Spanned<f64>) -> Built<f64> {
        let range = 0.0..=f64::MAX;
        self.fraction(
            number,
            range.contains(number),
            "`tolerance` must be a fraction of at least 0",
        )
    }

    /// Parses a limit. A bare number of 1 or more is rejected, because it is probably meant as a percentage.
    pub(super) fn limit(&self, share: &Spanned<toml::Value>, key: &str) -> Built<f64> {
        let mut number = f64::NAN;
        match &**share {
            toml::Value::String(text) => {
                if let Some(percent) = text.strip_suffix('%')
                    && let Ok(percent) = percent.trim().parse::<f64>()
                {
                    number = percent / 100.0;
                }
            }
            toml::Value::Float(fraction) if *fraction < 1.0 => number = *fraction,
            toml::Value::Integer(0) => number = 0.0,
            _ => {}
        }
        if number >= 0.0 && number.is_finite() {
            return Ok(number);
        }
        let message = format!(
            "`{key}` must be a fraction of at least 0 and below 1, or a percentage, not `{share}`"
        );
        let hint = "0.33 means 33%; `\"150%\"` allows 2.5 times the baseline";
        self.refuse(share, message, hint)
    }

    pub(super) fn fraction(&self, number: &Spanned<f64>, is_fit: bool, rule: &str) -> Built<f64> {
        if is_fit {
            return Ok(**number);
        }
        let message = format!("{rule}, not `{number}`");
        self.refuse(number, message, "0.33 means 33%")
    }
}
