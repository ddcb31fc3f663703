//! The rights of people in the repository, and reactions to their comments.

use http::Method;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;

use crate::call::Call;
use crate::client::Client;
use crate::trouble::{Trouble, TroubleKind};

#[derive(Deserialize)]
struct Access {
    permission: String,
}

impl Client {
    /// True if an account may write to the repository.
    ///
    /// # Errors
    /// Any [`Trouble`] but an account that there is not.
    pub fn may_write(&self, login: &str) -> Result<bool, Trouble> {
        let route = self.route(&["collaborators", login, "permission"]);
        match self.json::<Access>(&Call::read("read a person's permission".to_owned(), route)) {
            Ok(access) => Ok(["admin", "write"].contains(&access.permission.as_str())),
            Err(trouble) if trouble.kind == TroubleKind::NotFound => Ok(false),
            Err(trouble) => Err(trouble),
        }
    }

    /// Reacts to a comment on a pull request, such as with `eyes` or `+1`.
    ///
    /// # Errors
    /// Any [`Trouble`].
    pub fn react(&self, comment: u64, content: &str) -> Result<(), Trouble> {
        let route = self.route(&["issues", "comments", &comment.to_string(), "reactions"]);
        let body = Some(json!({ "content": content }));
        let call = Call::write(format!("react to comment {comment}"), Method::POST, route, body);
        self.json::<IgnoredAny>(&call.needs("pull-requests: write")).map(drop)
    }
}
