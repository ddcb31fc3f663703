//! A client as small as can be.

use std::io::{Read, Write};
use std::net::TcpStream;

use fake_github::Hub;
use serde_json::Value;

/// Asks as whoever a token belongs to.
pub struct Client<'h> {
    pub hub: &'h Hub,
    pub token: &'h str,
}

/// An answer.
pub struct Answer {
    pub status: u16,
    /// With names in lower case, one in each line.
    pub head: String,
    pub body: String,
}

impl Client<'_> {
    pub fn get(&self, path: &str) -> Answer {
        self.send("GET", path, "")
    }

    pub fn post(&self, path: &str, body: &Value) -> Answer {
        self.send("POST", path, &body.to_string())
    }

    /// Status and message of an answer.
    pub fn told(&self, method: &str, path: &str, body: &Value) -> String {
        let answer = self.send(method, path, &if body.is_null() { String::new() } else { body.to_string() });
        let json = answer.json();
        let detail = json["errors"][0]["message"].as_str().or(json["message"].as_str()).unwrap_or_default();
        format!("{} {detail}", answer.status)
    }

    /// The message of the first error, or else the data.
    pub fn graphql(&self, document: &str, variables: &Value) -> String {
        let answer = self.post("/graphql", &serde_json::json!({ "query": document, "variables": variables }));
        let json = answer.json();
        let error = &json["errors"][0];
        match error["message"].as_str() {
            Some(message) => format!("{}: {message}", error["type"].as_str().unwrap_or("-")),
            None => json["data"].to_string(),
        }
    }

    pub fn send(&self, method: &str, path: &str, body: &str) -> Answer {
        self.try_send(method, path, body).expect("an answer")
    }

    /// The answer, unless the connection ends before it.
    pub fn try_send(&self, method: &str, path: &str, body: &str) -> Option<Answer> {
        let host = self.hub.url().trim_start_matches("http://");
        let mut stream = TcpStream::connect(host).unwrap();
        let token = if self.token.is_empty() {
            String::new()
        } else {
            format!("authorization: Bearer {}\r\n", self.token)
        };
        let accept = if path.contains("/contents/") { "application/vnd.github.raw+json" } else { "*/*" };
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: {host}\r\nuser-agent: test\r\naccept: {accept}\r\n{token}content-length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all((head + body).as_bytes()).unwrap();
        read(&mut stream)
    }
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_default()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }
}

/// The next answer of a connection, which stays open: so the answer says how long it is.
pub fn read(stream: &mut TcpStream) -> Option<Answer> {
    let mut bytes = Vec::new();
    let mut byte = [0];
    while !bytes.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).ok()?;
        bytes.push(byte[0]);
    }
    let head = String::from_utf8(bytes).unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let mut answer = Answer { status, head, body: String::new() };
    let length = answer.header("content-length").map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    answer.body = String::from_utf8(body).unwrap();
    Some(answer)
}
