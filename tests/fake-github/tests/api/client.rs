//! A minimal HTTP client that can also show broken responses.

use std::io::{Read, Write};
use std::net::TcpStream;

use fake_github::Hub;
use serde_json::Value;

/// A client with a token, or without one if it is empty.
pub struct Client<'h> {
    pub hub: &'h Hub,
    pub token: &'h str,
}

pub struct Response {
    pub status: u16,
    /// The status line and the headers, with names in lower case.
    pub head: String,
    pub body: String,
}

impl Client<'_> {
    pub fn get(&self, path: &str) -> Response {
        self.send("GET", path, "")
    }

    pub fn post(&self, path: &str, body: &Value) -> Response {
        self.send("POST", path, &body.to_string())
    }

    /// The status and message of a response.
    pub fn outcome(&self, method: &str, path: &str, body: &Value) -> String {
        let response = self.send(
            method,
            path,
            &if body.is_null() {
                String::new()
            } else {
                body.to_string()
            },
        );
        let json = response.json();
        let detail = json["errors"][0]["message"]
            .as_str()
            .or(json["message"].as_str())
            .unwrap_or_default();
        format!("{} {detail}", response.status)
    }

    /// The first error, or otherwise the data.
    pub fn graphql(&self, document: &str, variables: &Value) -> String {
        let response = self.post(
            "/graphql",
            &serde_json::json!({ "query": document, "variables": variables }),
        );
        let json = response.json();
        let error = &json["errors"][0];
        match error["message"].as_str() {
            Some(message) => format!("{}: {message}", error["type"].as_str().unwrap_or("-")),
            None => json["data"].to_string(),
        }
    }

    pub fn send(&self, method: &str, path: &str, body: &str) -> Response {
        self.try_send(method, path, body).expect("a response")
    }

    /// The response, unless the connection is closed first.
    pub fn try_send(&self, method: &str, path: &str, body: &str) -> Option<Response> {
        let host = self.hub.url().trim_start_matches("http://");
        let mut stream = TcpStream::connect(host).unwrap();
        let token = if self.token.is_empty() {
            String::new()
        } else {
            format!("authorization: Bearer {}\r\n", self.token)
        };
        let accept = if path.contains("/contents/") {
            "application/vnd.github.raw+json"
        } else {
            "*/*"
        };
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: {host}\r\nuser-agent: test\r\naccept: {accept}\r\n{token}content-length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all((head + body).as_bytes()).unwrap();
        read(&mut stream)
    }
}

impl Response {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_default()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.head
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }
}

/// Reads the next response on a connection.
pub fn read(stream: &mut TcpStream) -> Option<Response> {
    let mut bytes = Vec::new();
    let mut byte = [0];
    while !bytes.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).ok()?;
        bytes.push(byte[0]);
    }
    let head = String::from_utf8(bytes).unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let mut response = Response {
        status,
        head,
        body: String::new(),
    };
    let length = response
        .header("content-length")
        .map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    response.body = String::from_utf8(body).unwrap();
    Some(response)
}
