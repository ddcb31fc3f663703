//! Makes one attempt at a call through octocrab, with a time limit and a limit for the response's size.

use std::error::Error;
use std::io;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use http::{HeaderMap, HeaderValue, Request, StatusCode, Uri, header};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper_rustls::HttpsConnectorBuilder;
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::legacy::connect::{Connect, HttpConnector};
use hyper_util::client::legacy::{Client, Error as ClientError};
use hyper_util::client::proxy::matcher::Matcher;
use hyper_util::rt::TokioExecutor;
use octocrab::service::middleware::auth_header::AuthHeaderLayer;
use octocrab::service::middleware::base_uri::BaseUriLayer;
use octocrab::service::middleware::extra_headers::ExtraHeadersLayer;
use octocrab::{AuthState, OctoBody, Octocrab, OctocrabBuilder};
use perf_cli::term::printable;
use tokio::runtime::{Builder, Runtime};

use super::api::Api;
use super::call::Call;
use super::error::ApiErrorKind;
use super::token::Token;

const USER_AGENT: &str = concat!("perf-gate/", env!("CARGO_PKG_VERSION"));
/// The time limit for making a connection.
const CONNECT: Duration = Duration::from_secs(10);
/// The maximum size of a response in bytes. A page with a hundred comments of maximum length takes 40 MB if all characters
/// are escaped.
const MOST_BYTES: usize = 64 * 1024 * 1024;

/// A response, whose status may be an error.
#[derive(Clone)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

/// An error for a call that got no response.
pub(crate) struct TransportError {
    pub(crate) kind: ApiErrorKind,
    pub(crate) why: String,
    /// True if the request may have reached the server.
    pub(crate) sent: bool,
}

impl TransportError {
    /// The error for a request that was not sent.
    fn before(why: String) -> Self {
        Self {
            kind: ApiErrorKind::Network,
            why,
            sent: false,
        }
    }
}

/// The HTTP client with its runtime.
pub(crate) struct Transport {
    octocrab: Octocrab,
    /// `None` only while the transport is dropped.
    runtime: Option<Runtime>,
    timeout: Duration,
}

impl Transport {
    pub(crate) fn new(api: &Api, token: &Token, timeout: Duration) -> Result<Self, TransportError> {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| TransportError::before(error.to_string()))?;
        let octocrab = {
            // octocrab starts a task for its queue, so it must be created within the runtime.
            let _inside = runtime.enter();
            octocrab(api, token, CONNECT.min(timeout)).map_err(TransportError::before)?
        };
        Ok(Self {
            octocrab,
            runtime: Some(runtime),
            timeout,
        })
    }

    /// Makes the call once.
    pub(crate) fn attempt(&self, call: &Call) -> Result<Answer, TransportError> {
        let Some(runtime) = &self.runtime else {
            return Err(TransportError::before("the client has ended".into()));
        };
        let in_time = runtime
            .block_on(async { tokio::time::timeout(self.timeout, self.exchange(call)).await });
        in_time.unwrap_or_else(|_| {
            let why = format!("no response within {} s", self.timeout.as_secs());
            Err(TransportError {
                kind: ApiErrorKind::Timeout,
                why,
                sent: true,
            })
        })
    }

    async fn exchange(&self, call: &Call) -> Result<Answer, TransportError> {
        let request = Request::builder()
            .method(call.method.clone())
            .uri(&call.path)
            .header(header::ACCEPT, call.accept);
        let request = self
            .octocrab
            .build_request(request, call.body.as_ref())
            .map_err(|error| transport_error(&error))?;
        let response = self
            .octocrab
            .execute(request)
            .await
            .map_err(|error| transport_error(&error))?;
        let (parts, body) = response.into_parts();
        let body = Limited::new(body, MOST_BYTES)
            .collect()
            .await
            .map_err(|error| {
                if error.is::<LengthLimitError>() {
                    let why = format!("a response of more than {} MiB", MOST_BYTES / (1024 * 1024));
                    return TransportError {
                        kind: ApiErrorKind::Malformed,
                        why,
                        sent: true,
                    };
                }
                transport_error(error.as_ref())
            })?;
        Ok(Answer {
            status: parts.status,
            headers: parts.headers,
            body: body.to_bytes().into(),
        })
    }
}

/// Builds octocrab's client with our own connector, because octocrab's builder does not support proxies. An `https` API is
/// reached through a tunnel if `HTTPS_PROXY` or `ALL_PROXY` is set and `NO_PROXY` does not exclude the host.
fn octocrab(api: &Api, token: &Token, connect: Duration) -> Result<Octocrab, String> {
    // The base URL has no path, because the two APIs have different paths and each call contains its whole path.
    let host = Uri::from_str(&api.origin).map_err(|error| error.to_string())?;
    let mut authorization = HeaderValue::try_from(format!("Bearer {}", token.expose()))
        .map_err(|error| error.to_string())?;
    authorization.set_sensitive(true);
    let tls = HttpsConnectorBuilder::new()
        .with_native_roots()
        .map_err(|error| error.to_string())?
        .https_or_http()
        .enable_http1();
    let mut tcp = HttpConnector::new();
    tcp.set_connect_timeout(Some(connect));
    // Accept `https` URLs here, because the TLS connector around this one encrypts.
    tcp.enforce_http(false);
    let proxy = Matcher::from_env().intercept(&host);
    let Some(proxy) = proxy.filter(|_| host.scheme_str() == Some("https")) else {
        return Ok(octocrab_with(tls.wrap_connector(tcp), authorization, host));
    };
    if proxy.uri().scheme_str() != Some("http") {
        return Err(format!(
            "`{}` proxies are not supported: HTTPS_PROXY must begin with `http://`",
            proxy.uri().scheme_str().unwrap_or_default()
        ));
    }
    let mut tunnel = Tunnel::new(proxy.uri().clone(), tcp);
    if let Some(login) = proxy.basic_auth() {
        tunnel = tunnel.with_auth(login.clone());
    }
    let connector = tls.wrap_connector(tunnel);
    Ok(octocrab_with(connector, authorization, host))
}

/// Builds octocrab's client with a connector. The client sends the token only to the API's host.
fn octocrab_with<C>(connector: C, authorization: HeaderValue, host: Uri) -> Octocrab
where
    C: Connect + Clone + Send + Sync + 'static,
{
    let client = Client::builder(TokioExecutor::new()).build::<_, OctoBody>(connector);
    let headers = vec![(header::USER_AGENT, HeaderValue::from_static(USER_AGENT))];
    let built = OctocrabBuilder::new_empty()
        .with_service(client)
        .with_layer(&ExtraHeadersLayer::new(Arc::new(headers)))
        .with_layer(&BaseUriLayer::new(host.clone()))
        .with_layer(&AuthHeaderLayer::new(
            Some(authorization),
            host.clone(),
            host,
        ))
        .with_auth(AuthState::None)
        .build();
    built.unwrap_or_else(|never| match never {})
}

impl Drop for Transport {
    fn drop(&mut self) {
        // A pending name resolution must not delay the exit.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Converts the error of a failed attempt. The message is the innermost cause's, because the other causes only say "client
/// error".
fn transport_error(error: &(dyn Error + 'static)) -> TransportError {
    let mut kind = ApiErrorKind::Network;
    let mut sent = true;
    let mut cause = error;
    loop {
        if let Some(error) = cause.downcast_ref::<ClientError>() {
            sent &= !error.is_connect();
        }
        if let Some(error) = cause.downcast_ref::<io::Error>()
            && error.kind() == io::ErrorKind::TimedOut
        {
            kind = ApiErrorKind::Timeout;
        }
        let Some(source) = cause.source() else { break };
        cause = source;
    }
    let words = cause.to_string();
    let words = printable(words.lines().next().unwrap_or_default());
    let lost = if sent {
        "connection lost"
    } else {
        "no connection"
    };
    TransportError {
        kind,
        why: format!("{lost}: {words}"),
        sent,
    }
}
