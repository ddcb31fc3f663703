//! Comparisons, their rules and their statistics.

mod budgets;
mod cannot_fail;
mod compare;
mod detectable;
mod layers;
mod one_value;
mod statistics;
