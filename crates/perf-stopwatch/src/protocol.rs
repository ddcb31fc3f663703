//! The settings of all scenarios: durations, repetitions, and the rate.

use std::fmt;

/// The settings of all measurements in a program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Protocol {
    /// Warm-up operations before a window (`STOPWATCH_WARM_UP`).
    pub warm_up: u64,
    /// Length of a window, in seconds (`STOPWATCH_WINDOW`).
    pub window: f64,
    /// Samples of each block (`STOPWATCH_ROUNDS`).
    pub rounds: u64,
    /// Minimum length of a block's sample, in milliseconds (`STOPWATCH_SAMPLE_MS`).
    pub sample_ms: f64,
    /// Trials with new state (`STOPWATCH_TRIALS`).
    pub trials: u64,
    /// Messages per second (`STOPWATCH_RATE`).
    pub rate: u64,
    /// Length of a repetition at that rate, in seconds (`STOPWATCH_LENGTH`).
    pub length: f64,
    /// Measured repetitions, after one warm-up (`STOPWATCH_REPETITIONS`).
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
    /// The default settings, changed by the environment.
    ///
    /// # Errors
    /// An environment variable has an invalid value.
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
