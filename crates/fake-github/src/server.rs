//! The server: one thread for each connection.

use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use tempfile::TempDir;

use crate::git::Git;
use crate::http::Request;
use crate::hub::{Hub, Outcome};
use crate::world::World;

/// A fake GitHub that runs until it is dropped.
pub struct Fake {
    hub: Arc<Hub>,
    server: Server,
    /// Where the Git side is, unless it was given.
    _folder: Option<TempDir>,
}

/// What a fake may be told beside its world.
#[derive(Debug, Default)]
pub struct Setup {
    /// The bare repository; a temporary one when there is none.
    pub git: Option<PathBuf>,
    /// The port; any free one for 0.
    pub port: u16,
    /// Where the journal is written to as well, one JSON object for each line.
    pub journal: Option<PathBuf>,
}

impl Fake {
    /// Starts one at a free port, with a Git side of one commit on the default branch.
    ///
    /// # Errors
    /// When it cannot listen, or `git` cannot be run.
    pub fn start(world: World) -> io::Result<Self> {
        Self::set_up(world, Setup::default())
    }

    /// Starts one.
    ///
    /// # Errors
    /// When it cannot listen, `git` cannot be run, or the journal cannot be written.
    pub fn set_up(world: World, setup: Setup) -> io::Result<Self> {
        let folder = if setup.git.is_none() { Some(tempfile::tempdir()?) } else { None };
        let own = folder.as_ref().map(|folder| folder.path().join("quill.git"));
        let git = Git::open(&setup.git.or(own).unwrap_or_default(), &world.default_branch)?;
        let file = setup.journal.map(File::create).transpose()?;
        let listener = TcpListener::bind(("127.0.0.1", setup.port))?;
        let address = listener.local_addr()?;
        let hub = Arc::new(Hub::new(format!("http://{address}"), git, world, file));
        let server = Server::start(listener, address, hub.clone());
        Ok(Self { hub, server, _folder: folder })
    }

    /// Serves until the process is ended.
    pub fn wait(mut self) {
        if let Some(thread) = self.server.thread.take() {
            // It ends only when it panicked, which it has said.
            let _ = thread.join();
        }
    }
}

impl Deref for Fake {
    type Target = Hub;

    fn deref(&self) -> &Hub {
        &self.hub
    }
}

struct Server {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    open: Arc<Mutex<Vec<TcpStream>>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    fn start(listener: TcpListener, address: SocketAddr, hub: Arc<Hub>) -> Self {
        let (stop, open) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(Vec::new())));
        let (stopped, connections) = (stop.clone(), open.clone());
        let thread = thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if stopped.load(Ordering::SeqCst) {
                    break;
                }
                if let Ok(other) = stream.try_clone() {
                    connections.lock().unwrap_or_else(PoisonError::into_inner).push(other);
                }
                let hub = hub.clone();
                // A client that breaks off is its own business.
                thread::spawn(move || drop(converse(&stream, &hub)));
            }
        });
        Self { address, stop, open, thread: Some(thread) }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        // Wakes whoever waits for connections.
        let _ = TcpStream::connect(self.address);
        for stream in self.open.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Answers what comes along a connection.
fn converse(stream: &TcpStream, hub: &Hub) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let (mut reader, mut writer) = (BufReader::new(stream), stream);
    while let Some(mut request) = Request::read(&mut reader)? {
        if request.expects_continue() {
            writer.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
        }
        request.read_body(&mut reader)?;
        match hub.serve(&request) {
            Outcome::Answer(answer) => answer.send(&mut writer)?,
            Outcome::Half(answer) => {
                let bytes = answer.bytes();
                writer.write_all(&bytes[..bytes.len() - answer.body.len() / 2 - 1])?;
                break;
            }
            Outcome::Cut => break,
            Outcome::Hang => {
                // Until the client has enough.
                io::copy(&mut reader.by_ref(), &mut io::sink())?;
                break;
            }
        }
    }
    stream.shutdown(Shutdown::Both)
}
