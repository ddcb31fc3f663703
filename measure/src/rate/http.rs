//! HTTP/1.1 over persistent connections, implemented by hyper.

use std::io;
use std::time::Duration;

use http::header::{CONTENT_TYPE, HOST};
use http::{HeaderName, HeaderValue, Method, Request, Uri};
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use perf_cli::Failure;
use perf_cli::term::printable;
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;

use super::exchange::Exchange;

/// The request that is sent repeatedly.
#[derive(Clone, Debug)]
pub struct Wanted {
    address: String,
    request: Request<Full<Bytes>>,
}

impl Wanted {
    /// Creates a request.
    ///
    /// # Errors
    /// The method or a header is invalid, or the URL does not have the form `http://HOST[:PORT]/…`.
    pub fn new(url: &str, method: &str, headers: &[String], body: &str) -> anyhow::Result<Self> {
        let invalid = || {
            Failure::new(format!(
                "invalid URL `{}`: expected http://HOST[:PORT]/PATH",
                printable(url)
            ))
        };
        let uri: Uri = url.parse().map_err(|_| invalid())?;
        let host = uri
            .host()
            .filter(|_| uri.scheme_str() == Some("http"))
            .ok_or_else(invalid)?;
        let address = format!("{host}:{}", uri.port_u16().unwrap_or(80));
        let method: Method = method
            .parse()
            .map_err(|_| Failure::new(format!("invalid method `{}`", printable(method))))?;
        let path = uri.path_and_query().map_or("/", |path| path.as_str());
        let mut request = Request::new(Full::new(Bytes::from(body.to_owned())));
        *request.method_mut() = method;
        *request.uri_mut() = path.parse()?;
        let authority = uri.authority().map_or(host, |authority| authority.as_str());
        request
            .headers_mut()
            .insert(HOST, HeaderValue::from_str(authority)?);
        if !body.is_empty() {
            request
                .headers_mut()
                .insert(CONTENT_TYPE, HeaderValue::from_static("text/plain"));
        }
        for header in headers {
            let (name, value) = parse_header(header)?;
            request.headers_mut().insert(name, value);
        }
        Ok(Self { address, request })
    }
}

fn parse_header(header: &str) -> anyhow::Result<(HeaderName, HeaderValue)> {
    let invalid = || {
        Failure::new(format!(
            "invalid header `{}`: expected NAME: VALUE",
            printable(header)
        ))
    };
    let (name, value) = header.split_once(':').ok_or_else(invalid)?;
    let name = name.trim().parse().map_err(|_| invalid())?;
    Ok((
        name,
        HeaderValue::from_str(value.trim()).map_err(|_| invalid())?,
    ))
}

/// A connection. It is opened on first use, and again after the server closed it.
pub struct Connection {
    wanted: Wanted,
    limit: Duration,
    runtime: Runtime,
    open: Option<SendRequest<Full<Bytes>>>,
}

impl Connection {
    /// Creates a connection with a time limit for answers.
    ///
    /// # Errors
    /// The runtime cannot be started.
    pub fn new(wanted: &Wanted, limit: Duration) -> io::Result<Self> {
        let runtime = Builder::new_current_thread()
            .enable_io()
            .enable_time()
            .build()?;
        Ok(Self {
            wanted: wanted.clone(),
            limit,
            runtime,
            open: None,
        })
    }
}

impl Exchange for Connection {
    fn exchange(&mut self) -> io::Result<()> {
        let Self {
            wanted,
            limit,
            runtime,
            open,
        } = self;
        let answered = runtime.block_on(async { timeout(*limit, once(wanted, open)).await });
        let answered = answered.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()));
        if answered.is_err() {
            *open = None;
        }
        answered
    }
}

async fn once(wanted: &Wanted, open: &mut Option<SendRequest<Full<Bytes>>>) -> io::Result<()> {
    let mut sender = match open.take().filter(|sender| !sender.is_closed()) {
        Some(sender) => sender,
        None => connect(&wanted.address).await?,
    };
    sender.ready().await.map_err(io::Error::other)?;
    let response = sender
        .send_request(wanted.request.clone())
        .await
        .map_err(io::Error::other)?;
    let status = response.status();
    let mut body = response.into_body();
    while let Some(frame) = body.frame().await {
        frame.map_err(io::Error::other)?;
    }
    *open = Some(sender);
    if status.is_client_error() || status.is_server_error() {
        return Err(io::Error::other(format!("it answered {status}")));
    }
    Ok(())
}

async fn connect(address: &str) -> io::Result<SendRequest<Full<Bytes>>> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let (sender, connection) = handshake(TokioIo::new(stream))
        .await
        .map_err(io::Error::other)?;
    // It ends with the sender. Its errors are reported to the request.
    tokio::spawn(async { drop(connection.await) });
    Ok(sender)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn url_gives_address_path_and_host() {
        let wanted = Wanted::new(
            "http://localhost:8080/a?b=c",
            "POST",
            &["X-A: 1".to_owned()],
            "x",
        )
        .unwrap();
        assert_eq!(
            (
                wanted.address.as_str(),
                wanted.request.uri().to_string().as_str()
            ),
            ("localhost:8080", "/a?b=c")
        );
        assert_eq!(
            (
                &wanted.request.headers()[HOST],
                &wanted.request.headers()["x-a"]
            ),
            (
                &HeaderValue::from_static("localhost:8080"),
                &HeaderValue::from_static("1")
            )
        );
        assert_eq!(
            Wanted::new("http://localhost", "GET", &[], "")
                .unwrap()
                .address,
            "localhost:80"
        );
    }

    #[test]
    fn invalid_requests_are_errors() {
        for (url, method, header) in [
            ("https://localhost", "GET", "a: b"),
            ("localhost:80", "GET", "a: b"),
            ("http://localhost", "G T", "a: b"),
            ("http://localhost", "GET", "a"),
            ("http://localhost", "GET", "a b: c"),
        ] {
            assert!(
                Wanted::new(url, method, &[header.to_owned()], "").is_err(),
                "{url} {method} {header}"
            );
        }
    }
}
