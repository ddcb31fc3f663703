//! The instruments other than pairs, with scripted commands: no test depends on how fast the machine is.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![expect(clippy::print_stdout, reason = "a skipped test says why")]

mod agree;
mod count;
mod folder;
mod killed;
mod rate;
mod recording;
mod window;
