//! The binary.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

/// A running server, killed on drop.
struct Served {
    child: Child,
    /// The printed lines.
    lines: Vec<String>,
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn command(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fake-github"));
    command.current_dir(folder).args(["--repo", "quill.git", "--state", "state.json"]);
    command
}

/// Starts the server and reads its first lines.
fn serve(folder: &Path, more: &[&str], lines: usize) -> std::io::Result<Served> {
    let mut child = command(folder).args(more).stdout(Stdio::piped()).spawn()?;
    let stdout = child.stdout.take().into_iter().flat_map(|stdout| BufReader::new(stdout).lines());
    let mut served = Served { child, lines: Vec::new() };
    served.lines = stdout.take(lines).collect::<Result<_, _>>()?;
    Ok(served)
}

#[test]
fn state_and_faults_are_read_and_journal_is_written() {
    let folder = TempDir::new().unwrap();
    let state = r#"{ "tokens": { "t0k": { "login": "ada", "writes": ["issues"] } }, "pulls": [{}],
        "comments": [{ "pull": 1, "author": "eve", "body": "first" }] }"#;
    fs::write(folder.path().join("state.json"), state).unwrap();
    let faults = r#"[{ "on": "POST */comments", "do": { "comment": { "pull": 1, "author": "eve", "body": "second" } } },
        { "on": "GET *", "do": { "push": { "branch": "main", "files": { "a": "b" }, "message": "Meanwhile" } } }]"#;
    fs::write(folder.path().join("faults.json"), faults).unwrap();
    let served = serve(folder.path(), &["--faults", "faults.json", "--journal", "journal.jsonl"], 3).unwrap();
    assert_eq!(served.lines[1..], ["repository=octo/quill", "token=t0k ada"]);
    let mut stream = TcpStream::connect(served.lines[0].strip_prefix("url=http://").unwrap()).unwrap();
    let head = "HTTP/1.1\r\nuser-agent: test\r\nauthorization: bearer t0k\r\n";
    let body = r#"{"body":"third"}"#;
    write!(stream, "POST /repos/octo/quill/issues/1/comments {head}content-length: 16\r\n\r\n{body}")
        .unwrap();
    let accept = "accept: application/vnd.github.raw\r\nconnection: close";
    write!(stream, "GET /repos/octo/quill/contents/a {head}{accept}\r\n\r\n").unwrap();
    let mut answers = String::new();
    stream.read_to_string(&mut answers).unwrap();
    assert!(answers.contains("\"id\":1000003") && answers.ends_with("\r\n\r\nb"), "{answers}");
    let journal = fs::read_to_string(folder.path().join("journal.jsonl")).unwrap();
    let operations: Vec<serde_json::Value> = journal
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["operation"].clone())
        .collect();
    assert_eq!(operations, ["POST /repos/octo/quill/issues/1/comments", "GET /repos/octo/quill/contents/a"]);
    assert!(!journal.contains("t0k"));
}

#[test]
fn malformed_state_is_reported_with_its_path() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("state.json"), "{\n  \"pull\": []\n}").unwrap();
    let output = command(folder.path()).output().unwrap();
    let outcome = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
    assert!(outcome.starts_with("error: cannot parse `state.json`: unknown field `pull`"), "{outcome}");
    assert!(outcome.contains("at line 2 column 8"), "{outcome}");
}
