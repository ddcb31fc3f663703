//! Describes the machine and the checkout before a measurement.

use std::ffi::OsString;
use std::path::Path;

use perf_cli::failure;

use super::Session;
use super::prepare::{checkout::Checkout, obstacles};
use crate::conditions;
use crate::git::{git, top_level};
use crate::priority;

/// Returns lines about the load, the clock and the priority.
pub fn describe_machine() -> Vec<String> {
    let mut machine = conditions::described();
    let raised = priority::raise(|| ());
    let priority = raised.map_or_else(|why| why.to_string(), |_| "raised".to_owned());
    machine.push(format!("process priority: {priority}"));
    machine
}

/// Returns lines about the paths of base and head in pairs of a command in the working directory's checkout, and about
/// obstacles to measuring pairs.
pub fn describe_pairs(words: &[OsString], session: &Session) -> Vec<String> {
    let here = Path::new(".");
    let Ok(root) = top_level(here) else {
        return vec![
            "not a git repository: to measure pairs, pass a folder for base and one for head"
                .to_owned(),
        ];
    };
    if git(here, &["rev-parse", "--verify", "HEAD"]).is_err() {
        return vec!["no commits yet to compare with".to_owned()];
    }
    let checkout = match obstacles::to_one_path(&[words], &root, &["HEAD"]) {
        Some(why) => Err(anyhow::Error::msg(why)),
        None => Checkout::of(here, &session.guardian),
    };
    let (way, consequence) = match checkout {
        Ok(_) => (
            "at one path, each in an overlay".to_owned(),
            "but base and head use the same path",
        ),
        Err(error) => (
            format!("at two paths: {}", failure::message(&error)),
            "so pairs cannot be measured",
        ),
    };
    let mut lines = vec![format!("base and head {way}")];
    if let Some(shared) = obstacles::to_two_paths(&root, words) {
        lines.push(format!("{shared}, {consequence}"));
    }
    lines
}
