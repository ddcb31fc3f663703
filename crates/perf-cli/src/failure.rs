//! Errors with advice.
//!
//! A *hint* is one line of advice on how to resolve an error. It is attached to the error and printed after the message,
//! on its own line.

use anyhow::Error;

/// An error with hints and optionally a cause.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    message: String,
    hints: Vec<String>,
    source: Option<Error>,
}

impl Failure {
    /// Creates a failure. The message is a lowercase fragment with values in backticks and without a final period.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            hints: Vec::new(),
            source: None,
        }
    }

    /// Adds a line of advice, without the `hint:` prefix. Empty advice is left out.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self.hints.retain(|hint| !hint.is_empty());
        self
    }

    /// Sets the cause. The cause's message follows this failure's message after a colon.
    #[must_use]
    pub fn because(mut self, cause: impl Into<Error>) -> Self {
        self.source = Some(cause.into());
        self
    }
}

/// Adds advice to any error.
pub trait ResultExt<T> {
    /// If the result is an error, adds a line of advice to it.
    fn hint(self, hint: impl Into<String>) -> anyhow::Result<T>;
}

impl<T, E: Into<Error>> ResultExt<T> for Result<T, E> {
    fn hint(self, hint: impl Into<String>) -> anyhow::Result<T> {
        self.map_err(|error| {
            let error = error.into();
            // Only a `Failure` has hints. Wrapping the error in one repeats its text, but `message` shows the text
            // once.
            Failure::new(error.to_string())
                .because(error)
                .hint(hint)
                .into()
        })
    }
}

/// Formats the whole error as one text, `outer: inner: innermost`.
///
/// If the text already ends with a cause's text, the cause is not repeated, because many errors quote their source.
pub fn message(error: &Error) -> String {
    let mut text = String::new();
    for cause in error.chain() {
        let words = cause.to_string();
        let words = words.trim();
        if text.ends_with(words) {
            continue;
        }
        if !text.is_empty() {
            text.push_str(": ");
        }
        text.push_str(words);
    }
    text
}

/// The hints of the error and all its causes, in the order in which they were added.
pub fn hints(error: &Error) -> Vec<&str> {
    let failures: Vec<&Failure> = error
        .chain()
        .filter_map(|cause| cause.downcast_ref())
        .collect();
    failures
        .into_iter()
        .rev()
        .flat_map(|failure| &failure.hints)
        .map(String::as_str)
        .collect()
}

#[cfg(test)]
mod tests {
    use std::io;

    use anyhow::Context;

    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("line 3: {0}")]
    struct Quoting(#[source] io::Error);

    fn timeout() -> io::Error {
        io::Error::new(io::ErrorKind::TimedOut, "too slow")
    }

    #[test]
    fn causes_are_joined_without_repetition() {
        let error = Failure::new("cannot read `a.csv`").because(Quoting(timeout()));
        assert_eq!(
            message(&error.into()),
            "cannot read `a.csv`: line 3: too slow"
        );
        let plain = Error::from(timeout()).context("reading").context("working");
        assert_eq!(message(&plain), "working: reading: too slow");
    }

    #[test]
    fn hint_does_not_change_the_message() {
        let error = Err::<(), _>(timeout())
            .context("outer")
            .hint("wait")
            .unwrap_err();
        assert_eq!(message(&error), "outer: too slow");
        assert_eq!(hints(&error), ["wait"]);
    }

    #[test]
    fn empty_hint_is_left_out() {
        let error = Err::<(), _>(timeout()).hint("").unwrap_err();
        assert!(hints(&error).is_empty());
    }

    #[test]
    fn hints_stand_in_the_order_in_which_they_were_added() {
        let inner = Failure::new("inner").hint("one").hint("two");
        let middle = Err::<(), _>(inner)
            .hint("three")
            .context("middle")
            .hint("four");
        let error = middle.context("outer").unwrap_err();
        assert_eq!(message(&error), "outer: middle: inner");
        assert_eq!(hints(&error), ["one", "two", "three", "four"]);
    }

    #[test]
    fn a_result_without_an_error_is_left_alone() {
        assert_eq!(Ok::<_, io::Error>(1).hint("unused").unwrap(), 1);
    }
}
