//! The interface that the findings of all rules share.

use crate::verdict::Confirmation;

/// The finding of a rule, behind one interface for code that treats all rules alike.
pub trait Finding {
    /// The name of the rule in reports; `None` where the gate's rule names it.
    fn name(&self) -> Option<&'static str> {
        None
    }

    /// The growth of the cost, as a distance; `None` where the rule measures none.
    fn effect(&self) -> Option<f64> {
        None
    }

    /// The state of the confirmation, where a regression is suspected.
    fn suspicion(&self) -> Option<Confirmation> {
        None
    }

    /// True if the rule waits for more data of its kind.
    fn is_waiting(&self) -> bool {
        false
    }

    /// True if the verdict stands however small the change is: the minimum absolute change does not apply.
    fn ignores_floor(&self) -> bool {
        false
    }
}
