//! As much of HTTP/1.1 as clients use: requests with a body of known length or in chunks, connections that stay open.

use std::io::{self, BufRead, Read, Write};

use serde_json::Value;

/// The longest body that is read, in bytes: more than GitHub takes.
const MOST: usize = 64 << 20;

/// A request.
#[derive(Clone, Debug, Default)]
pub(crate) struct Request {
    pub(crate) method: String,
    /// Without the query, as it was sent: encoded.
    pub(crate) path: String,
    /// Keys and values, decoded.
    pub(crate) query: Vec<(String, String)>,
    /// Names in lower case.
    headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

/// An answer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Request {
    /// The next request of a connection; `None` when there is none.
    pub(crate) fn read(from: &mut impl BufRead) -> io::Result<Option<Self>> {
        let Some(first) = line(from)? else { return Ok(None) };
        let mut words = first.split(' ');
        let (Some(method), Some(target), Some(_)) = (words.next(), words.next(), words.next()) else {
            return Err(broken("the first line"));
        };
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let mut request =
            Self { method: method.into(), path: path.into(), query: pairs(query), ..Self::default() };
        loop {
            let header = line(from)?.ok_or_else(|| broken("the head"))?;
            if header.is_empty() {
                break;
            }
            let (name, value) = header.split_once(':').ok_or_else(|| broken("a header"))?;
            request.headers.push((name.to_ascii_lowercase(), value.trim().into()));
        }
        Ok(Some(request))
    }

    /// Reads the body that belongs to the head.
    pub(crate) fn read_body(&mut self, from: &mut impl BufRead) -> io::Result<()> {
        if self.header("transfer-encoding").is_some_and(|value| value.eq_ignore_ascii_case("chunked")) {
            self.body = chunks(from)?;
        } else if let Some(length) = self.header("content-length") {
            let length = length.parse().map_err(|_| broken("the length"))?;
            self.body = exactly(from, length)?;
        }
        Ok(())
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }

    /// Whether the client waits to be told to send the body.
    pub(crate) fn expects_continue(&self) -> bool {
        self.header("expect").is_some_and(|value| value.eq_ignore_ascii_case("100-continue"))
    }

    pub(crate) fn query(&self, key: &str) -> Option<&str> {
        self.query.iter().find(|(other, _)| other == key).map(|(_, value)| value.as_str())
    }

    /// The body as JSON; `Null` when it is empty, `None` when it is none.
    pub(crate) fn json(&self) -> Option<Value> {
        if self.body.is_empty() {
            return Some(Value::Null);
        }
        serde_json::from_slice(&self.body).ok()
    }
}

impl Answer {
    pub(crate) fn json(status: u16, body: &Value) -> Self {
        let kind = ("content-type".into(), "application/json; charset=utf-8".into());
        Self { status, headers: vec![kind], body: body.to_string().into_bytes() }
    }

    pub(crate) fn header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.retain(|(other, _)| !other.eq_ignore_ascii_case(name));
        self.headers.push((name.into(), value.into()));
        self
    }

    /// The bytes to send.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut bytes = format!("HTTP/1.1 {} {}\r\n", self.status, reason(self.status)).into_bytes();
        for (name, value) in &self.headers {
            bytes.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
        }
        // There is nothing that says how long the body of "no content" is.
        if self.status != 204 {
            bytes.extend_from_slice(format!("content-length: {}\r\n", self.body.len()).as_bytes());
        }
        bytes.extend_from_slice(b"\r\n");
        bytes.extend_from_slice(&self.body);
        bytes
    }

    pub(crate) fn send(&self, to: &mut impl Write) -> io::Result<()> {
        to.write_all(&self.bytes())?;
        to.flush()
    }
}

/// A text with its `%XX` decoded.
pub(crate) fn decoded(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match code.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) if *first == b'%' => {
                out.push(byte);
                rest = &after[2..];
            }
            _ => {
                out.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn pairs(query: &str) -> Vec<(String, String)> {
    let pair = |text: &str| {
        let (key, value) = text.split_once('=').unwrap_or((text, ""));
        (decoded(&key.replace('+', " ")), decoded(&value.replace('+', " ")))
    };
    query.split('&').filter(|text| !text.is_empty()).map(pair).collect()
}

fn line(from: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    if from.take(1 << 16).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    let line = String::from_utf8(line).map_err(|_| broken("a line"))?;
    Ok(Some(line.trim_end_matches(['\r', '\n']).into()))
}

fn chunks(from: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let size = line(from)?.ok_or_else(|| broken("a chunk"))?;
        let size = size.split(';').next().unwrap_or_default().trim();
        let size = usize::from_str_radix(size, 16).map_err(|_| broken("a chunk's length"))?;
        if size == 0 {
            while line(from)?.is_some_and(|trailer| !trailer.is_empty()) {}
            return Ok(body);
        }
        body.extend(exactly(from, size)?);
        line(from)?;
        if body.len() > MOST {
            return Err(broken("a body that long"));
        }
    }
}

fn exactly(from: &mut impl BufRead, length: usize) -> io::Result<Vec<u8>> {
    if length > MOST {
        return Err(broken("a body that long"));
    }
    let mut body = vec![0; length];
    from.read_exact(&mut body)?;
    Ok(body)
}

fn broken(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("cannot understand {what} of the request"))
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        201 => "Created",
        204 => "No Content",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        409 => "Conflict",
        410 => "Gone",
        415 => "Unsupported Media Type",
        422 => "Unprocessable Entity",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        _ => "Unknown",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &str) -> io::Result<Option<Request>> {
        let mut from = bytes.as_bytes();
        let request = Request::read(&mut from)?;
        request.map(|mut request| request.read_body(&mut from).map(|()| request)).transpose()
    }

    #[test]
    fn bodies_come_whole_or_in_chunks() {
        let whole =
            read("PATCH /a%2Fb?x=1%262&y=a+b HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}rest").unwrap().unwrap();
        assert_eq!((whole.path.as_str(), whole.body.as_slice()), ("/a%2Fb", &b"{}"[..]));
        assert_eq!((whole.query("x"), whole.query("y")), (Some("1&2"), Some("a b")));
        let chunked =
            "POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\nA;x\r\n0123456789\r\n0\r\n\r\n";
        assert_eq!(read(chunked).unwrap().unwrap().body, b"abc0123456789");
    }

    #[test]
    fn what_is_no_request_is_an_error() {
        assert!(read("").unwrap().is_none());
        for bytes in [
            "GET /\r\n\r\n",
            "GET / HTTP/1.1\r\n",
            "GET / HTTP/1.1\r\nx\r\n\r\n",
            "PUT / HTTP/1.1\r\ncontent-length: 9\r\n\r\n{}",
        ] {
            assert!(read(bytes).is_err(), "{bytes:?}");
        }
    }

    #[test]
    fn what_is_no_code_stays() {
        assert_eq!(decoded("heads%2Fa%20%C3%BC%zz%2"), "heads/a ü%zz%2");
    }
}
