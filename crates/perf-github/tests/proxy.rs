//! Proxies from the environment. A client reads its process's environment, so each case runs in a separate process.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use fake_github::account;
use perf_github::{Api, Client, ClientSettings, Token};

const PULL: u64 = 5;

/// The variable that turns this test into a case's process. Its value is the API's URL.
const CASE: &str = "PERF_GATE_PROXY_CASE";
/// The variables that a case sets, and that it must not inherit.
const VARIABLES: [&str; 8] = [
    "HTTP_PROXY",
    "http_proxy",
    "HTTPS_PROXY",
    "https_proxy",
    "ALL_PROXY",
    "all_proxy",
    "NO_PROXY",
    "no_proxy",
];

/// A proxy that records the head of each request, and rejects tunnels.
struct Proxy {
    address: String,
    heads: Receiver<String>,
}

impl Proxy {
    fn start() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (note, heads) = channel();
        thread::spawn(move || {
            for mut client in listener.incoming().map(Result::unwrap) {
                let head = head(&mut client);
                note.send(head).unwrap();
                client
                    .write_all(b"HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n")
                    .unwrap();
            }
        });
        Self { address, heads }
    }

    /// The first line of the next request, and its `proxy-authorization`.
    fn seen(&self) -> Option<(String, Option<String>)> {
        let head = self
            .heads
            .recv_timeout(Duration::from_millis(200))
            .ok()?
            .to_lowercase();
        let authorization = head
            .lines()
            .find_map(|line| line.strip_prefix("proxy-authorization: "));
        Some((
            head.lines().next()?.to_owned(),
            authorization.map(str::to_owned),
        ))
    }
}

fn head(stream: &mut TcpStream) -> String {
    let (mut bytes, mut byte) = (Vec::new(), [0]);
    while !bytes.ends_with(b"\r\n\r\n") && stream.read_exact(&mut byte).is_ok() {
        bytes.push(byte[0]);
    }
    String::from_utf8(bytes).unwrap()
}

/// Runs a client that lists comments, in a process with these variables, and returns its output.
fn outcome(api: &str, variables: &[(&str, &str)]) -> String {
    let mut command = Command::new(std::env::current_exe().unwrap());
    for name in VARIABLES {
        command.env_remove(name);
    }
    command
        .args(["proxy::client_in_child_process", "--exact", "--nocapture"])
        .env(CASE, api)
        .envs(variables.iter().copied());
    let printed = String::from_utf8(command.output().unwrap().stdout).unwrap();
    printed
        .lines()
        .find_map(|line| line.split_once("outcome: "))
        .map(|(_, rest)| rest.to_owned())
        .unwrap()
}

#[test]
fn client_in_child_process() {
    let Ok(api) = std::env::var(CASE) else { return };
    let settings = ClientSettings {
        patience: Duration::ZERO,
        ..ClientSettings::read(|_| None).unwrap()
    };
    let (api, token) = (
        Api::new(&api).unwrap(),
        Token::new(account::WORKFLOW).unwrap(),
    );
    let client = Client::new(&api, "octo/quill".parse().unwrap(), &token, settings);
    let error = match client {
        Ok(client) => client.comments(PULL).unwrap_err(),
        Err(error) => error,
    };
    println!("outcome: {:?}: {error}", error.kind);
}

#[test]
fn excluded_and_plain_servers_are_reached_directly() {
    let proxy = Proxy::start();
    let named = format!("http://{}", proxy.address);
    for (server, variables) in [
        (
            "https://127.0.0.1:9",
            vec![
                ("HTTPS_PROXY", &*named),
                ("NO_PROXY", "example.org,127.0.0.1"),
            ],
        ),
        ("https://127.0.0.1:9", vec![("HTTP_PROXY", &*named)]),
        ("http://127.0.0.1:9", vec![("ALL_PROXY", &*named)]),
    ] {
        let refused = outcome(server, &variables);
        assert!(refused.contains("no connection: "), "{refused}");
    }
    assert_eq!(proxy.seen(), None);
}

#[test]
fn encrypted_server_is_reached_through_tunnel() {
    let proxy = Proxy::start();
    let named = format!("http://ada:secret@{}", proxy.address);
    let refused = outcome("https://api.example.org", &[("HTTPS_PROXY", &named)]);
    assert!(
        refused.starts_with("Network: cannot list the comments of #5: no connection: "),
        "{refused}"
    );
    let (line, authorization) = proxy.seen().unwrap();
    assert_eq!(line, "connect api.example.org:443 http/1.1");
    assert_eq!(authorization.as_deref(), Some("basic ywrhonnly3jlda=="));
}

#[test]
fn other_proxy_kinds_are_rejected() {
    let refused = outcome(
        "https://api.example.org",
        &[("ALL_PROXY", "socks5://127.0.0.1:9")],
    );
    assert!(
        refused.contains("`socks5` proxies are not supported: HTTPS_PROXY"),
        "{refused}"
    );
}
