//! The token, which no output ever shows.

use std::fmt;

use perf_cli::Failure;

/// The text that is shown instead of a token.
pub(crate) const REDACTED: &str = "***";

/// A token for GitHub's API. Printing it in any way prints `***`.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// A token from the environment, without the line break that a file leaves at its end. One that is empty, or has
    /// characters that no header can carry, is an error that does not show it.
    pub fn new(text: &str) -> Result<Self, Failure> {
        let text = text.trim();
        if text.is_empty() {
            return Err(Failure::new("the token is empty"));
        }
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(
                Failure::new("the token has characters that are not allowed in one")
                    .hint("look for spaces and line breaks in the secret"),
            );
        }
        Ok(Self(text.into()))
    }

    /// The token itself, for the one header that needs it.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }

    /// The text without the token, should something echo it.
    pub fn redact(&self, text: &str) -> String {
        text.replace(&self.0, REDACTED)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(REDACTED)
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(REDACTED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_shows_itself_to_nobody() {
        let token = Token::new("ghs_secret\n").unwrap();
        assert_eq!(
            format!("{token} {token:?} {:#?}", Some(&token)),
            "*** *** Some(\n    ***,\n)"
        );
        assert_eq!(
            token.redact("bad credentials: ghs_secret"),
            "bad credentials: ***"
        );
    }

    #[test]
    fn a_broken_token_is_refused_without_showing_it() {
        for text in ["", " \n", "ghs_a b", "ghs_a\nb", "ghs_ä", "ghs_\0"] {
            let error = format!("{:?}", Token::new(text).unwrap_err());
            assert!(!error.contains("ghs_"), "{error}");
        }
    }
}
