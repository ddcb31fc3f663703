//! All instruments except pairs, with scripted commands. No test depends on the speed of the machine.

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
