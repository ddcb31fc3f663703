//! HdrHistogram: the percentiles that its libraries print, and logs of encoded histograms.
//!
//! Neither says what was measured: a histogram is named by the line before it, by its tag, or by its file. The
//! text does not say its unit either.

mod encoded;
mod log;
mod percentiles;

pub(crate) use self::log::FORMAT as LOG;
pub(crate) use self::percentiles::FORMAT;
