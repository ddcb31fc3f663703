//! Variables of the environment.

use std::fmt;
use std::str::FromStr;

use perf_cli::Failure;
use perf_cli::term::printable;

/// The value of a variable of the environment, unless it is empty.
pub(crate) type Variable<'v> = dyn Fn(&str) -> Option<String> + 'v;

/// The value of a variable in its type.
pub(crate) fn parsed<T>(variable: &Variable<'_>, name: &str) -> Result<Option<T>, Failure>
where
    T: FromStr,
    T::Err: fmt::Display,
{
    let Some(value) = variable(name) else {
        return Ok(None);
    };
    let why = |error| Failure::new(format!("{name} is set to `{}`: {error}", printable(&value)));
    value.trim().parse().map(Some).map_err(why)
}
