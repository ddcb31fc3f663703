//! The verdicts that fail.

use std::str::FromStr;

use perf_config::{Config, FailOn};
use perf_verdict::FailingVerdicts;

/// The verdicts that fail; none of them, and nothing fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailOnList(pub Vec<FailOn>);

impl FailOnList {
    /// The verdicts that the config names, or else `regressed` and `missing`.
    pub(crate) fn of(config: &Config) -> Self {
        let written = config.deltas.fail_on.clone();
        Self(written.unwrap_or_else(|| vec![FailOn::Regressed, FailOn::Missing]))
    }

    /// The verdicts on a worse value that fail.
    pub(crate) fn fails(&self) -> FailingVerdicts {
        FailingVerdicts::of(&self.0)
    }
}

impl FromStr for FailOnList {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.trim() == "none" {
            return Ok(Self(vec![]));
        }
        let words = text.split(',').map(|word| word.trim().parse::<FailOn>());
        Ok(Self(words.collect::<Result<_, _>>()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_with_their_spaces_and_none_is_one() {
        assert_eq!(
            "regressed, missing".parse(),
            Ok(FailOnList::of(&Config::default()))
        );
        assert_eq!("none".parse(), Ok(FailOnList(vec![])));
        let why = |text: &str| text.parse::<FailOnList>().unwrap_err();
        insta::assert_snapshot!(why("regressed,mising"), @"
        no verdict is called `mising`
        hint: did you mean `missing`?
        ");
        insta::assert_snapshot!(why("none,new"), @"
        no verdict is called `none`
        hint: known here: `regressed`, `missing`, `inconclusive`, `not-comparable`, `unmeasured`, `new`, `moved`, `improved`
        ");
        assert!(
            why("").starts_with("no verdict is called ``"),
            "{}",
            why("")
        );
    }
}
