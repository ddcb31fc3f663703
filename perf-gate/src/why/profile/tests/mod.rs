//! Recorded profiles of each profiler, and the causes of differences between two.

mod causes;
mod formats;
