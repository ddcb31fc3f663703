//! Recorded profiles of each profiler, and the causes of differences between two.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot do its work has failed"
)]

mod causes;
mod formats;
