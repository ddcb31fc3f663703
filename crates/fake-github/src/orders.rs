//! Trouble on order as JSON, for scripts.
//!
//! Each order names an operation's pattern (see [`crate::script`]), perhaps which requests are meant, and what is done:
//!
//! ```
//! # use fake_github::{Fake, World, orders::Order};
//! # let fake = Fake::start(World::default())?;
//! let orders: Vec<Order> = serde_json::from_str(r#"[
//!     { "on": "POST */comments", "do": { "answer": { "status": 502, "headers": { "retry-after": "1" }, "body": "Bad Gateway" } } },
//!     { "on": "POST */comments", "nth": 2, "times": 3, "done": true, "do": "cut" },
//!     { "on": "GET *", "always": true, "do": "halve" },
//!     { "on": "PATCH *", "do": "hang" },
//!     { "on": "GET */pulls/5", "do": { "delay": 20 } },
//!     { "on": "GET */pulls", "do": { "limit_until": 60 } },
//!     { "on": "GET */pulls", "do": { "limit_for": 60 } },
//!     { "on": "GRAPHQL createCommitOnBranch", "do": { "push": { "branch": "main", "files": { "README.md": "text" }, "message": "Meanwhile" } } },
//!     { "on": "POST */comments", "do": { "comment": { "pull": 5, "author": "ada", "body": "text" } } }
//! ]"#)?;
//! for order in orders {
//!     order.give(&fake);
//! }
//! # Ok::<(), std::io::Error>(())
//! ```

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use crate::hub::Hub;

/// An order: what happens to which requests.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Order {
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
    what: What,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum What {
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
    /// Seconds, if it is told how long.
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

impl Order {
    /// Puts it in force.
    pub fn give(self, hub: &Hub) {
        let mut when = hub.when(&self.on).nth(self.nth).times(self.times);
        if self.always {
            when = when.always();
        }
        if self.done {
            when = when.done();
        }
        match self.what {
            What::Answer { status, headers, body } => {
                let headers: Vec<(&str, &str)> =
                    headers.iter().map(|(name, value)| (&**name, &**value)).collect();
                when.answer_with(status, &headers, body);
            }
            What::Cut => when.cut(),
            What::Halve => when.halve(),
            What::Hang => when.hang(),
            What::Delay(by) => when.delay(Duration::from_millis(by)),
            What::LimitUntil(seconds) => when.limit_until(seconds),
            What::LimitFor(seconds) => when.limit_for(seconds),
            What::Push { branch, files, message } => {
                when.hook(move |hub| push(hub, &branch, &files, &message));
            }
            What::Comment { pull, author, body } => when.hook(move |hub| {
                hub.with(|world| world.comment(pull, &author, &body));
            }),
        }
    }
}

fn push(hub: &Hub, branch: &str, files: &BTreeMap<String, String>, message: &str) {
    let files: Vec<(&str, &str)> = files.iter().map(|(path, content)| (&**path, &**content)).collect();
    if let Err(error) = hub.git().push(branch, &files, message) {
        perf_cli::term::warn(&error.to_string());
    }
}
