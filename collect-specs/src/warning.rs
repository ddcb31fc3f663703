//! Warnings, plain for people and as annotations for GitHub's runner.
//!
//! The text of a warning is made of field names, places and kinds of identity, never of a value.

use std::io::Write as _;

use perf_cli::term;

use crate::Environment;

/// Tells every warning on stderr.
pub fn show(warnings: &[String], environment: &Environment) {
    let in_actions = environment.get("GITHUB_ACTIONS").is_some_and(|value| value == "true");
    for warning in warnings {
        if in_actions {
            // A lost stderr is no reason to fail.
            let _ = writeln!(std::io::stderr(), "{}", annotation(warning));
        } else {
            term::warn(warning);
        }
    }
}

/// The workflow command; its text cannot start another one.
fn annotation(text: &str) -> String {
    let text = text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    format!("::warning::{text}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_annotation_is_one_command_whatever_the_text() {
        assert_eq!(annotation("50% of\r\n::error::x"), "::warning::50%25 of%0D%0A::error::x");
    }
}
