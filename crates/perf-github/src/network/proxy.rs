//! Connections through a proxy from `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`, with the same rules as curl.
//!
//! Encrypted connections use a tunnel (`CONNECT`). For other servers, the proxy forwards single requests.

use std::error::Error;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use http::{HeaderValue, Uri};
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::legacy::connect::{Connected, Connection, HttpConnector};
use hyper_util::client::proxy::matcher::{Intercept, Matcher};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tower::Service;

type ConnectError = Box<dyn Error + Send + Sync>;
type Connecting = Pin<Box<dyn Future<Output = Result<Stream, ConnectError>> + Send>>;

/// A connector that uses the proxy from the environment.
#[derive(Clone)]
pub(crate) struct ProxyConnector {
    proxies: Arc<Matcher>,
    direct: HttpConnector,
}

/// A connection to the server or to a proxy.
pub(crate) struct Stream {
    inner: TokioIo<TcpStream>,
    /// True if the other end is a proxy that forwards single requests.
    passes_on: bool,
}

impl ProxyConnector {
    pub(crate) fn new(mut direct: HttpConnector) -> Self {
        // The outer connector encrypts.
        direct.enforce_http(false);
        Self {
            proxies: Arc::new(Matcher::from_env()),
            direct,
        }
    }

    /// The value of `Proxy-Authorization` for single requests to a server, if the proxy needs one.
    pub(crate) fn authorization(&self, server: &Uri) -> Option<HeaderValue> {
        let proxy = self
            .proxies
            .intercept(server)
            .filter(|_| server.scheme_str() == Some("http"))?;
        proxy.basic_auth().cloned()
    }
}

impl Service<Uri> for ProxyConnector {
    type Response = Stream;
    type Error = ConnectError;
    type Future = Connecting;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), ConnectError>> {
        self.direct.poll_ready(cx).map_err(Into::into)
    }

    fn call(&mut self, server: Uri) -> Connecting {
        let (mut direct, proxy) = (self.direct.clone(), self.proxies.intercept(&server));
        Box::pin(async move {
            let Some(proxy) = proxy else {
                return Ok(Stream {
                    inner: direct.call(server).await?,
                    passes_on: false,
                });
            };
            let address = address(&proxy)?;
            if server.scheme_str() == Some("http") {
                return Ok(Stream {
                    inner: direct.call(address).await?,
                    passes_on: true,
                });
            }
            let mut tunnel = Tunnel::new(address, direct);
            if let Some(authorization) = proxy.basic_auth() {
                tunnel = tunnel.with_auth(authorization.clone());
            }
            Ok(Stream {
                inner: tunnel.call(server).await?,
                passes_on: false,
            })
        })
    }
}

/// The address of a proxy. Only plain HTTP is supported.
fn address(proxy: &Intercept) -> io::Result<Uri> {
    match proxy.uri().scheme_str() {
        Some("http") => Ok(proxy.uri().clone()),
        other => Err(io::Error::other(format!(
            "`{}` proxies are not supported: HTTPS_PROXY or HTTP_PROXY must begin with `http://`",
            other.unwrap_or_default()
        ))),
    }
}

impl Connection for Stream {
    fn connected(&self) -> Connected {
        self.inner.inner().connected().proxy(self.passes_on)
    }
}

impl Read for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_read(cx, buffer)
    }
}

impl Write for Stream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write(cx, buffer)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }
}
