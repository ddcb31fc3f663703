//! HdrHistogram: the percentiles that its libraries print, and logs of encoded histograms.
//!
//! Neither names the benchmark: a histogram is named by the line before it, its tag, or its file. The text has no unit
//! either.

mod encoded;
mod log;
mod percentiles;
mod unit;

pub(crate) use self::log::FORMAT as LOG;
pub(crate) use self::percentiles::FORMAT;
