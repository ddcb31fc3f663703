//! The URLs of the API, on github.com or an enterprise server.

use std::str::FromStr;

use http::Uri;
use perf_cli::Failure;
use perf_cli::term::printable;

/// The URLs of the REST and the GraphQL API, which have the same host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Api {
    /// Scheme and host, without a path.
    pub(crate) origin: String,
    /// The path before `/repos/…`: empty for github.com, `/api/v3` for an enterprise server.
    pub(crate) rest: String,
    /// The path of the GraphQL API.
    pub(crate) graphql: String,
}

impl Api {
    /// Creates the URLs from the URL of the REST API, which must be an `http` or `https` URL.
    pub fn new(rest: &str) -> Result<Self, Failure> {
        let no = || {
            Failure::new(format!("invalid API address `{}`", printable(rest)))
                .hint("use an `http://` or `https://` URL without a query or user name")
        };
        let uri = Uri::from_str(rest.trim()).map_err(|_| no())?;
        let (Some(scheme @ ("http" | "https")), Some(host)) = (uri.scheme_str(), uri.authority())
        else {
            return Err(no());
        };
        if uri.query().is_some() || host.as_str().contains('@') {
            return Err(no());
        }
        let path = uri.path().trim_end_matches('/');
        // On an enterprise server, the REST API is at `/api/v3` and the GraphQL API at `/api/graphql`.
        let graphql = format!("{}/graphql", path.strip_suffix("/v3").unwrap_or(path));
        Ok(Self {
            origin: format!("{scheme}://{host}"),
            rest: path.into(),
            graphql,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn graphql_url_is_derived_from_rest_url() {
        let derived = |rest| Api::new(rest).map(|api| api.origin + &api.graphql).unwrap();
        assert_eq!(
            derived("https://api.github.com/"),
            "https://api.github.com/graphql"
        );
        assert_eq!(
            derived("https://ghe.example.org/api/v3"),
            "https://ghe.example.org/api/graphql"
        );
        assert_eq!(
            derived("https://api.corp.ghe.com"),
            "https://api.corp.ghe.com/graphql"
        );
        assert_eq!(
            derived("http://127.0.0.1:8080"),
            "http://127.0.0.1:8080/graphql"
        );
    }

    #[test]
    fn invalid_urls_are_rejected() {
        for text in [
            "",
            "api.github.com",
            "ftp://a.b",
            "file:///etc",
            "https://",
            "https://a.b/?x=y",
            "https://u:p@a.b",
        ] {
            assert!(Api::new(text).is_err(), "{text}");
        }
    }
}
