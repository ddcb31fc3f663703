//! The HTTP server in front of a [`Hub`].

use std::future::pending;
use std::io;
use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;

use http::HeaderValue;
use http::header::CONTENT_LENGTH;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, BodyStream, Full, Limited, StreamBody};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tempfile::TempDir;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio::task::{spawn_blocking, yield_now};

use crate::git::Git;
use crate::hub::{Hub, Reaction};
use crate::request::Response;
use crate::world::World;

/// The longest accepted request body in bytes, more than GitHub accepts.
const MAX_BODY: usize = 64 << 20;

type Body = BoxBody<Bytes, io::Error>;

/// A fake GitHub that serves until it is dropped.
pub struct Fake {
    hub: Arc<Hub>,
    /// Stops the server on drop.
    _runtime: Runtime,
    /// The temporary repository, if it is not in a given folder.
    _folder: Option<TempDir>,
}

impl Fake {
    /// Starts a fake on a free port, with one commit on the default branch of a temporary repository.
    pub fn start(world: World) -> io::Result<Self> {
        let folder = tempfile::tempdir()?;
        let fake = Self::start_with(world, &folder.path().join("quill.git"))?;
        Ok(Self {
            _folder: Some(folder),
            ..fake
        })
    }

    /// Starts a fake with the bare repository in this folder, which is created if it does not exist.
    pub fn start_with(world: World, repository: &Path) -> io::Result<Self> {
        let git = Git::open(repository)?;
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .enable_io()
            .build()?;
        let listener = runtime.block_on(TcpListener::bind(("127.0.0.1", 0)))?;
        let hub = Arc::new(Hub::new(
            format!("http://{}", listener.local_addr()?),
            git,
            world,
        ));
        runtime.spawn(accept(listener, hub.clone()));
        Ok(Self {
            hub,
            _runtime: runtime,
            _folder: None,
        })
    }
}

impl Deref for Fake {
    type Target = Hub;

    fn deref(&self) -> &Hub {
        &self.hub
    }
}

async fn accept(listener: TcpListener, hub: Arc<Hub>) {
    loop {
        if let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(serve(stream, hub.clone()));
        }
    }
}

async fn serve(stream: TcpStream, hub: Arc<Hub>) {
    let service = service_fn(move |request| respond(hub.clone(), request));
    let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
    // Fails if the client disconnects or a fault cuts the connection.
    let _ = connection.await;
}

/// An error closes the connection without a response.
async fn respond(
    hub: Arc<Hub>,
    request: http::Request<Incoming>,
) -> io::Result<http::Response<Body>> {
    let (head, body) = request.into_parts();
    let body = Limited::new(body, MAX_BODY)
        .collect()
        .await
        .map_err(io::Error::other)?
        .to_bytes();
    let request = http::Request::from_parts(head, body).into();
    // Handlers run `git`, and hooks run clients of this server.
    match spawn_blocking(move || hub.serve(&request)).await? {
        Reaction::Response(response) => Ok(response.map(complete)),
        Reaction::Truncated(response) => Ok(truncated(response)),
        Reaction::Cut => Err(io::ErrorKind::ConnectionAborted.into()),
        Reaction::Hang => pending().await,
    }
}

fn complete(body: Bytes) -> Body {
    Full::new(body).map_err(|never| match never {}).boxed()
}

/// Announces the whole body, sends half of it, then fails.
fn truncated(mut response: Response) -> http::Response<Body> {
    let length = response.body().len();
    response
        .headers_mut()
        .insert(CONTENT_LENGTH, HeaderValue::from(length));
    response.map(|body| {
        let failure = async {
            // Lets hyper flush the first half.
            yield_now().await;
            Some(Err(io::ErrorKind::ConnectionAborted.into()))
        };
        let half = complete(body.slice(..length / 2)).with_trailers(failure);
        // A stream hides the length of the half, which hyper would announce instead.
        BodyExt::boxed(StreamBody::new(BodyStream::new(half)))
    })
}
