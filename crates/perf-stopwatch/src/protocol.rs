//! The settings of all measurements: durations, repetitions and the rate.

use std::fmt;

/// The settings of all measurements in a program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Protocol {
    /// The number of warm-up operations before a window (`STOPWATCH_WARM_UP`).
    pub warm_up: u64,
    /// The length of a window, in seconds (`STOPWATCH_WINDOW`).
    pub window: f64,
    /// The number of samples per block (`STOPWATCH_ROUNDS`).
    pub rounds: u64,
    /// The minimum length of a block's sample, in milliseconds (`STOPWATCH_SAMPLE_MS`).
    pub sample_ms: f64,
    /// The number of trials with fresh state (`STOPWATCH_TRIALS`).
    pub trials: u64,
    /// The number of messages per second for one-way latency (`STOPWATCH_RATE`).
    pub rate: u64,
    /// The length of a repetition at this rate, in seconds (`STOPWATCH_LENGTH`).
    pub length: f64,
    /// The number of measured repetitions, which follow one warm-up (`STOPWATCH_REPETITIONS`).
    pub repetitions: u64,
}

impl Default for Protocol {
    fn default() -> Self {
        Self {
            warm_up: 10_000,
            window: 5.0,
            rounds: 20,
            sample_ms: 1.0,
            trials: 32,
            rate: 1_000_000,
            length: 1.0,
            repetitions: 5,
        }
    }
}

/// An environment variable with an invalid value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidSetting {
    name: &'static str,
    value: String,
    wanted: &'static str,
}

impl fmt::Display for InvalidSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "invalid {} `{}`: expected {}",
            self.name,
            self.value.escape_debug(),
            self.wanted
        )
    }
}

impl std::error::Error for InvalidSetting {}

impl Protocol {
    /// Returns the default settings, changed by environment variables.
    ///
    /// # Errors
    /// Fails if an environment variable has an invalid value.
    pub fn from_environment() -> Result<Self, InvalidSetting> {
        Self::of(|name| std::env::var_os(name).map(|value| value.to_string_lossy().into_owned()))
    }

    fn of(variable: impl Fn(&str) -> Option<String>) -> Result<Self, InvalidSetting> {
        let whole = |name, least, default| match variable(name) {
            None => Ok(default),
            Some(value) => match value.parse() {
                Ok(number) if (least..=1_000_000_000).contains(&number) => Ok(number),
                _ => Err(InvalidSetting {
                    name,
                    value,
                    wanted: "a whole number up to 1000000000",
                }),
            },
        };
        let length = |name, default| match variable(name) {
            None => Ok(default),
            Some(value) => match value.parse() {
                Ok(number) if (0.000_001..=86_400.0).contains(&number) => Ok(number),
                _ => Err(InvalidSetting {
                    name,
                    value,
                    wanted: "a number from 0.000001 to 86400",
                }),
            },
        };
        let default = Self::default();
        Ok(Self {
            warm_up: whole("STOPWATCH_WARM_UP", 0, default.warm_up)?,
            window: length("STOPWATCH_WINDOW", default.window)?,
            rounds: whole("STOPWATCH_ROUNDS", 1, default.rounds)?,
            sample_ms: length("STOPWATCH_SAMPLE_MS", default.sample_ms)?,
            trials: whole("STOPWATCH_TRIALS", 1, default.trials)?,
            rate: whole("STOPWATCH_RATE", 1, default.rate)?,
            length: length("STOPWATCH_LENGTH", default.length)?,
            repetitions: whole("STOPWATCH_REPETITIONS", 1, default.repetitions)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn environment_overrides_single_settings() {
        let of = |set: &'static str, to: &'static str| {
            Protocol::of(move |name| (name == set).then(|| to.to_owned()))
        };
        let expected = Protocol {
            warm_up: 0,
            ..Protocol::default()
        };
        assert_eq!(of("STOPWATCH_WARM_UP", "0"), Ok(expected));
        for (name, value) in [
            ("STOPWATCH_ROUNDS", "0"),
            ("STOPWATCH_RATE", "-1"),
            ("STOPWATCH_WINDOW", "inf"),
        ] {
            let error = of(name, value).unwrap_err().to_string();
            assert!(
                error.starts_with(&format!("invalid {name} `{value}`: expected")),
                "{error}"
            );
        }
    }
}
