//! Faults as JSON, for the binary.
//!
//! Each fault has the pattern of an operation (see [`crate::script`]), optionally a choice of requests, and an effect:
//!
//! ```
//! # use fake_github::{Fake, World, faults::Fault};
//! # let fake = Fake::start(World::default())?;
//! let faults: Vec<Fault> = serde_json::from_str(r#"[
//!     { "on": "POST */comments", "do": { "answer": { "status": 502, "headers": { "retry-after": "1" }, "body": "Bad Gateway" } } },
//!     { "on": "POST */comments", "nth": 2, "times": 3, "done": true, "do": "cut" },
//!     { "on": "GET *", "always": true, "do": "halve" },
//!     { "on": "PATCH *", "do": "hang" },
//!     { "on": "GET */pulls/5", "do": { "delay": 20 } },
//!     { "on": "GET */pulls", "do": { "limit_until": 60 } },
//!     { "on": "GET */pulls", "do": { "limit_for": 60 } },
//!     { "on": "GRAPHQL createCommitOnBranch", "do": { "push": { "branch": "main", "files": { "README.md": "text" }, "message": "Update" } } },
//!     { "on": "POST */comments", "do": { "comment": { "pull": 5, "author": "ada", "body": "text" } } }
//! ]"#)?;
//! for fault in faults {
//!     fault.inject(&fake);
//! }
//! # Ok::<(), std::io::Error>(())
//! ```

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use crate::hub::Hub;

/// A fault to inject.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    on: String,
    #[serde(default = "one")]
    nth: u32,
    #[serde(default = "one")]
    times: u32,
    #[serde(default)]
    always: bool,
    #[serde(default)]
    done: bool,
    #[serde(rename = "do")]
    effect: Effect,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Effect {
    Answer {
        status: u16,
        #[serde(default)]
        headers: BTreeMap<String, String>,
        #[serde(default)]
        body: Value,
    },
    Cut,
    Halve,
    Hang,
    /// Milliseconds.
    Delay(u64),
    /// Seconds.
    LimitUntil(u64),
    /// Seconds; `null` omits `retry-after`.
    LimitFor(Option<u64>),
    Push {
        branch: String,
        files: BTreeMap<String, String>,
        message: String,
    },
    Comment {
        pull: u64,
        author: String,
        body: String,
    },
}

fn one() -> u32 {
    1
}

impl Fault {
    /// Injects the fault into a running fake.
    pub fn inject(self, hub: &Hub) {
        let mut when = hub.when(&self.on).nth(self.nth).times(self.times);
        if self.always {
            when = when.always();
        }
        if self.done {
            when = when.done();
        }
        match self.effect {
            Effect::Answer { status, headers, body } => {
                when.answer_with(status, &pairs(&headers), body);
            }
            Effect::Cut => when.cut(),
            Effect::Halve => when.halve(),
            Effect::Hang => when.hang(),
            Effect::Delay(time) => when.delay(Duration::from_millis(time)),
            Effect::LimitUntil(seconds) => when.limit_until(seconds),
            Effect::LimitFor(seconds) => when.limit_for(seconds),
            Effect::Push { branch, files, message } => when.hook(move |hub| {
                if let Err(error) = hub.git().push(&branch, &pairs(&files), &message) {
                    perf_cli::term::warn(&error.to_string());
                }
            }),
            Effect::Comment { pull, author, body } => when.hook(move |hub| {
                hub.with(|world| world.comment(pull, &author, &body));
            }),
        }
    }
}

fn pairs(map: &BTreeMap<String, String>) -> Vec<(&str, &str)> {
    map.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect()
}
