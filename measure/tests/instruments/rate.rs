//! Tests of `rate`.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::thread;

use crate::instruments::folder::{Folder, stderr};

/// Slow enough for any machine, with extra time.
const SLOWLY: [&str; 9] = [
    "rate",
    "--rate",
    "20",
    "--length",
    "0.5s",
    "--repetitions",
    "2",
    "--grace",
    "60s",
];

fn rate(more: &[&'static str]) -> Vec<&'static str> {
    [&SLOWLY[..], more].concat()
}

#[test]
fn child_that_answers_lines_is_measured() {
    let folder = Folder::new();
    let output = folder.run(&rate(&[
        "--name",
        "echo",
        "--histograms",
        "hdr",
        "--output",
        "r.csv",
        "--",
        "cat",
    ]));
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(
        stderr(&output).contains("Rep 1/3 (warmup): sent 10 of 10, received 10;"),
        "{}",
        stderr(&output)
    );
    let rows = folder.read("r.csv");
    assert_eq!(
        rows.lines().count(),
        1 + 2,
        "the warm-up is not counted: {rows}"
    );
    assert!(
        rows.lines()
            .skip(1)
            .all(|row| row.contains(",10,\"fixed rate of 20/s, intended starts\"")),
        "{rows}"
    );
    assert!(
        folder
            .read("hdr/echo.hgrm")
            .contains("Total count    =           20]")
    );
    assert_eq!(
        folder
            .read("hdr/echo.hlog")
            .lines()
            .filter(|line| line.contains("HIST"))
            .count(),
        2
    );
}

#[test]
fn target_that_loses_messages_fails() {
    let folder = Folder::new();
    let script = "read x; echo $x; read x; echo $x; cat >/dev/null";
    let line = [
        "rate",
        "--rate",
        "20",
        "--length",
        "0.5s",
        "--grace",
        "1s",
        "--histograms",
        "hdr",
    ];
    let error = folder.fail(
        &[
            &line[..],
            &[
                "--name", "two", "--output", "r.csv", "--", "sh", "-c", script,
            ],
        ]
        .concat(),
    );
    assert!(
        error.contains("10 of 10 messages were sent in time and 2 answered (80.0% lost)"),
        "{error}"
    );
    assert!(folder.read("r.csv").trim_end().ends_with(",failed"));
    assert!(
        folder
            .read("hdr/two.hgrm.FAIL")
            .contains("Total count    =            2]")
    );
    assert!(!folder.read("hdr/two.hlog.FAIL").is_empty());
}

#[test]
fn target_that_does_not_read_is_ended() {
    let folder = Folder::new();
    let message = "x".repeat(10_000);
    let line = [
        "rate",
        "--rate",
        "1000",
        "--length",
        "0.5s",
        "--grace",
        "0.5s",
        "--message",
        &message,
    ];
    let error = folder.fail(&[&line[..], &["--", "sleep", "600"]].concat());
    assert!(error.contains("did not keep up with 1000/s"), "{error}");
}

#[test]
fn target_that_ends_or_does_not_exist_is_one_error() {
    let folder = Folder::new();
    for (arguments, said) in [
        (
            rate(&["--", "head", "-n", "3"]),
            "`head -n 3` ended after 3 of 10 answers",
        ),
        (rate(&["--", "no-such-command"]), "command not found"),
        (
            rate(&["--tcp", "localhost:1"]),
            "cannot connect to `localhost:1`",
        ),
        (
            rate(&["--http", "http://localhost:1/"]),
            "`http://localhost:1/` does not answer",
        ),
        (rate(&["--http", "https://localhost/"]), "invalid URL"),
        (rate(&[]), "required"),
    ] {
        let error = folder.fail(&arguments);
        assert!(error.contains(said), "{arguments:?} {error}");
    }
}

/// A server that answers each line by `answer`, on any number of connections.
fn server(answer: fn(&str) -> Option<String>) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            thread::spawn(move || {
                let lines = BufReader::new(stream.try_clone().unwrap()).lines();
                for answer in lines.map_while(Result::ok).filter_map(|line| answer(&line)) {
                    if stream.write_all(answer.as_bytes()).is_err() {
                        break;
                    }
                }
            });
        }
    });
    port
}

#[test]
fn tcp_server_that_answers_lines_is_measured() {
    let folder = Folder::new();
    let port = server(|line| Some(format!("{line}\n")));
    let output = folder.run(
        &[
            &SLOWLY[..],
            &["--tcp", &format!("127.0.0.1:{port}"), "--output", "r.csv"],
        ]
        .concat(),
    );
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(folder.read("r.csv").lines().count(), 3);
}

/// An answer to the last line of a request without a body.
fn http(line: &str, status: &str) -> Option<String> {
    line.trim_end()
        .is_empty()
        .then(|| format!("HTTP/1.1 {status}\r\ncontent-length: 2\r\n\r\nok"))
}

#[test]
fn http_server_is_measured_over_several_connections() {
    let folder = Folder::new();
    let port = server(|line| http(line, "200 OK"));
    let url = format!("http://127.0.0.1:{port}/path");
    let output = folder.run(
        &[
            &SLOWLY[..],
            &["--http", &url, "--connections", "2", "--output", "r.csv"],
        ]
        .concat(),
    );
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(folder.read("r.csv").lines().count(), 3);
}

#[test]
fn http_errors_are_reported_before_measuring() {
    let folder = Folder::new();
    let port = server(|line| http(line, "503 Service Unavailable"));
    let error = folder.fail(
        &[
            &SLOWLY[..],
            &["--http", &format!("http://127.0.0.1:{port}/")],
        ]
        .concat(),
    );
    assert!(
        error.contains("does not answer correctly: it answered 503"),
        "{error}"
    );
}
