//! What every rule's finding answers.

use crate::verdict::Confirmation;

/// What a rule found, for what looks at all rules alike.
pub trait Finding {
    /// The name of the rule in reports; `None` where the gate's rule names it.
    fn name(&self) -> Option<&'static str> {
        None
    }

    /// How much more the current value costs, as a distance.
    fn effect(&self) -> Option<f64> {
        None
    }

    /// The state of the confirmation, where a regression is suspected.
    fn suspicion(&self) -> Option<Confirmation> {
        None
    }

    /// Whether the rule waits for more data of its kind.
    fn is_waiting(&self) -> bool {
        false
    }

    /// Whether it holds however small the change is.
    fn ignores_floor(&self) -> bool {
        false
    }
}
