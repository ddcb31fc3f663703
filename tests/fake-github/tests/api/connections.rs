//! Connections and headers.

use std::io::Write;
use std::net::TcpStream;
use std::time::Duration;

use fake_github::account::WORKFLOW;
use fake_github::{Fake, Hub, Pull, World};

use crate::client::read;

fn fake() -> Fake {
    Fake::start(World::with_pull(Pull::new(5))).unwrap()
}

fn connect(hub: &Hub) -> TcpStream {
    TcpStream::connect(hub.url().trim_start_matches("http://")).unwrap()
}

fn send(stream: &mut TcpStream, first: &str, rest: &str) {
    let head = format!(
        "{first} HTTP/1.1\r\nuser-agent: test\r\nauthorization: Bearer {WORKFLOW}\r\n{rest}"
    );
    stream.write_all(head.as_bytes()).unwrap();
}

#[test]
fn connections_are_kept_alive() {
    let fake = fake();
    let mut stream = connect(&fake);
    let post = "POST /repos/octo/quill/issues/5/comments";
    send(
        &mut stream,
        post,
        "transfer-encoding: chunked\r\n\r\ne\r\n{\"body\":\"one\"}\r\n0\r\n\r\n",
    );
    assert_eq!(read(&mut stream).unwrap().status, 201);
    send(
        &mut stream,
        "DELETE /repos/octo/quill/issues/comments/1000001",
        "\r\n",
    );
    assert_eq!(read(&mut stream).unwrap().status, 204);
    let query = "{\"query\":\"{ viewer { login } }\"}";
    send(
        &mut stream,
        "POST /api/graphql",
        &format!("content-length: {}\r\n\r\n{query}", query.len()),
    );
    assert_eq!(
        read(&mut stream).unwrap().json()["data"]["viewer"]["login"],
        "github-actions[bot]"
    );
    assert_eq!(fake.requests().len(), 3);
}

#[test]
fn hanging_request_gets_no_response() {
    let fake = fake();
    fake.when("GET *").hang();
    let mut stream = connect(&fake);
    stream
        .set_read_timeout(Some(Duration::from_millis(50)))
        .unwrap();
    send(&mut stream, "GET /repos/octo/quill/pulls/5", "\r\n");
    assert!(read(&mut stream).is_none());
    while fake.requests().iter().all(|entry| entry.end == "pending") {
        std::thread::yield_now();
    }
    assert_eq!(fake.requests()[0].end, "no answer");
    // The server does not wait for the client.
    drop(fake);
}

#[test]
fn user_agent_is_required() {
    let fake = fake();
    let mut stream = connect(&fake);
    stream
        .write_all(b"GET /repos/octo/quill/pulls/5 HTTP/1.1\r\n\r\n")
        .unwrap();
    let answer = read(&mut stream).unwrap();
    assert_eq!(
        (answer.status, answer.body.contains("administrative rules")),
        (403, true)
    );
}
