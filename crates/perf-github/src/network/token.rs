//! The token, which is never printed.

use std::fmt;

use perf_cli::Failure;

/// The text that is shown instead of a token.
pub(crate) const REDACTED: &str = "***";

/// A token for GitHub's API. It does not implement `Display`, and its `Debug` output is `***`.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// Creates a token from an environment variable's value, without the surrounding white space. Fails if the token is
    /// empty or contains characters that are not allowed in a header. The error does not show the token.
    pub fn new(text: &str) -> Result<Self, Failure> {
        let text = text.trim();
        if text.is_empty() {
            return Err(Failure::new("the token is empty"));
        }
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(
                Failure::new("the token contains characters that are not allowed")
                    .hint("check the secret for spaces and line breaks"),
            );
        }
        Ok(Self(text.into()))
    }

    /// The token itself, for the one header that needs it.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }

    /// Replaces the token in a text with `***`.
    pub fn redact(&self, text: &str) -> String {
        text.replace(&self.0, REDACTED)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(REDACTED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_is_never_formatted() {
        let token = Token::new("ghs_secret\n").unwrap();
        assert_eq!(
            format!("{token:?} {:#?}", Some(&token)),
            "*** Some(\n    ***,\n)"
        );
        assert_eq!(
            token.redact("bad credentials: ghs_secret"),
            "bad credentials: ***"
        );
    }

    #[test]
    fn invalid_token_error_does_not_show_it() {
        for text in ["", " \n", "ghs_a b", "ghs_a\nb", "ghs_ä", "ghs_\0"] {
            let error = format!("{:?}", Token::new(text).unwrap_err());
            assert!(!error.contains("ghs_"), "{error}");
        }
    }
}
