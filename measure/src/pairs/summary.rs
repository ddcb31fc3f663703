//! A description of the machine and the checkout before a measurement.

use std::ffi::OsString;
use std::path::Path;

use super::prepare::{checkout::Checkout, obstacles};
use super::{PairsRequest, Session, SideRequest, Tree};
use crate::conditions;
use crate::git::git;
use crate::priority;

/// Lines for the terminal about conditions of a measurement.
#[derive(Clone, Debug)]
pub struct Summary {
    /// Load, clock and priority.
    pub machine: Vec<String>,
    /// The paths of base and head in pairs, and obstacles to the same path.
    pub pairs: Vec<String>,
}

impl Summary {
    /// Describes the machine, and the working directory's checkout for a command.
    pub fn of(words: &[OsString], session: &Session) -> Self {
        let mut machine = conditions::described();
        let raised = priority::raise(|| ());
        let priority = raised.map_or_else(|why| why.to_string(), |_| "raised".to_owned());
        machine.push(format!("process priority: {priority}"));
        Self {
            machine,
            pairs: pairs(words, session),
        }
    }
}

fn pairs(words: &[OsString], session: &Session) -> Vec<String> {
    let here = Path::new(".");
    let Ok(root) = git(here, &["rev-parse", "--show-toplevel"]) else {
        return vec!["not a git repository: pairs need two folders".to_owned()];
    };
    if git(here, &["rev-parse", "--verify", "HEAD"]).is_err() {
        return vec!["no commits yet to compare with".to_owned()];
    }
    let side = || SideRequest {
        command: words.to_vec(),
        tree: Tree::Here,
    };
    let request = PairsRequest {
        base: side(),
        current: side(),
        ..PairsRequest::default()
    };
    let root = Path::new(&root);
    let checkout = obstacles::to_one_path(&request, root, &["HEAD"]).map_or_else(
        || Checkout::of(here, &session.guardian),
        |why| Err(anyhow::Error::msg(why)),
    );
    let way = match checkout {
        Ok(_) => "at one path, each in an overlay".to_owned(),
        Err(error) => format!("at two paths: {}", perf_cli::failure::message(&error)),
    };
    let shared = obstacles::to_two_paths(root, words);
    let shared = shared.map(|shared| {
        let outcome = if way.starts_with("at one") {
            "which one path allows"
        } else {
            "so pairs cannot be measured"
        };
        format!("{shared}, {outcome}")
    });
    [format!("both sides {way}")]
        .into_iter()
        .chain(shared)
        .collect()
}
