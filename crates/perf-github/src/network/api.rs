//! The address of the API: github.com, or a server of one's own.

use std::str::FromStr;

use http::Uri;
use perf_cli::Failure;
use perf_cli::term::printable;

/// The addresses of the REST and the GraphQL API. Both are on one host, because the token is sent to no other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Api {
    /// Scheme and host, without a path.
    pub(crate) origin: String,
    /// The prefix of `/repos/…`: nothing, or `/api/v3`.
    pub(crate) rest: String,
    /// The whole path of the GraphQL API.
    pub(crate) graphql: String,
}

impl Api {
    /// The API at `rest`; the GraphQL API at `graphql`, or else where GitHub has it for that address. Both are
    /// `http` or `https` addresses on one host.
    pub fn new(rest: &str, graphql: Option<&str>) -> Result<Self, Failure> {
        let (origin, path) = address(rest)?;
        let graphql = match graphql {
            Some(graphql) => {
                let (other, graphql) = address(graphql)?;
                if other != origin {
                    let message = format!(
                        "the GraphQL API `{other}` and the API `{origin}` are on different servers"
                    );
                    return Err(Failure::new(message).hint("set both addresses to the same server"));
                }
                graphql
            }
            // GitHub Enterprise Server has `…/api/v3` next to `…/api/graphql`.
            None => format!("{}/graphql", path.strip_suffix("/v3").unwrap_or(&path)),
        };
        Ok(Self {
            origin,
            rest: path,
            graphql,
        })
    }
}

impl Default for Api {
    /// The API of github.com.
    fn default() -> Self {
        Self {
            origin: "https://api.github.com".into(),
            rest: String::new(),
            graphql: "/graphql".into(),
        }
    }
}

/// An address in two: scheme and host, and the path without a slash at its end.
fn address(text: &str) -> Result<(String, String), Failure> {
    let no = || {
        Failure::new(format!("invalid API address `{}`", printable(text)))
            .hint("it begins with `https://`, and has neither a query nor a user")
    };
    let uri = Uri::from_str(text.trim()).map_err(|_| no())?;
    let (Some(scheme), Some(host)) = (uri.scheme_str(), uri.authority()) else {
        return Err(no());
    };
    if !matches!(scheme, "http" | "https") || uri.query().is_some() || host.as_str().contains('@') {
        return Err(no());
    }
    Ok((
        format!("{scheme}://{host}"),
        uri.path().trim_end_matches('/').into(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_graphql_api_is_found_beside_the_other() {
        let beside = |rest| {
            Api::new(rest, None)
                .map(|api| api.origin + &api.graphql)
                .unwrap()
        };
        assert_eq!(
            Api::new("https://api.github.com", None).unwrap(),
            Api::default()
        );
        assert_eq!(
            beside("https://api.github.com/"),
            "https://api.github.com/graphql"
        );
        assert_eq!(
            beside("https://ghe.example.org/api/v3"),
            "https://ghe.example.org/api/graphql"
        );
        assert_eq!(
            beside("https://api.corp.ghe.com"),
            "https://api.corp.ghe.com/graphql"
        );
        assert_eq!(
            beside("http://127.0.0.1:8080"),
            "http://127.0.0.1:8080/graphql"
        );
    }

    #[test]
    fn the_token_goes_to_one_host_only() {
        let error = Api::new(
            "https://api.github.com",
            Some("https://evil.example/graphql"),
        )
        .unwrap_err();
        insta::assert_snapshot!(error, @"the GraphQL API `https://evil.example` and the API `https://api.github.com` are on different servers");
        let own = Api::new(
            "https://ghe.example.org/api/v3/",
            Some("https://ghe.example.org/api/graphql"),
        );
        assert_eq!(
            own.unwrap(),
            Api::new("https://ghe.example.org/api/v3", None).unwrap()
        );
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for text in [
            "",
            "api.github.com",
            "ftp://a.b",
            "file:///etc",
            "https://",
            "https://a.b/?x=y",
            "https://u:p@a.b",
        ] {
            assert!(Api::new(text, None).is_err(), "{text}");
        }
    }
}
