//! Tests of profile formats and of the causes of differences.

mod causes;
mod formats;
