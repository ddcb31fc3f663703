//! What the handlers of requests get.

use crate::account::Token;
use crate::git::Git;
use crate::http::Request;
use crate::world::World;

/// The arguments of every handler.
pub(crate) struct Context<'a> {
    pub(crate) world: &'a mut World,
    pub(crate) git: &'a Git,
    pub(crate) request: &'a Request,
    pub(crate) caller: Option<Token>,
    /// The base URL of the REST API, without a trailing slash.
    pub(crate) api: String,
}
