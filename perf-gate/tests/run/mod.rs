//! `run` and `init` in a repository with a small benchmark.

#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot do its work has failed"
)]

mod init;
mod project;
mod reruns;
mod tools;
mod verdict;
