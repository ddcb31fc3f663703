//! The table of capabilities lists existing tests, and the tools' rows that it promises are read.

use std::fs;
use std::path::Path;

use end_to_end::Project;
use end_to_end::markdown::tables;

/// Appends all sources in a folder, except build output.
fn sources(folder: &Path, all: &mut String) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && name != "target" && !name.starts_with('.') {
            sources(&path, all);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            all.push_str(&fs::read_to_string(path).unwrap());
        }
    }
}

#[test]
fn each_capability_lists_existing_tests() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = fs::read_to_string(root.join("docs/development/capabilities.md")).unwrap();
    let mut code = String::new();
    sources(&root, &mut code);
    let rows: Vec<Vec<String>> = tables(&page)
        .into_iter()
        .flat_map(|table| table.rows.into_iter().skip(1))
        .collect();
    assert_eq!(rows.len(), 82);
    for (at, row) in rows.iter().enumerate() {
        let [number, capability, command, tests] = &row[..] else {
            panic!("{row:?}")
        };
        assert_eq!(*number, (at + 1).to_string());
        let named: Vec<&str> = tests.split('`').filter(|part| part.contains('_')).collect();
        let is_missing = command.contains("**missing**");
        assert_eq!(named.is_empty(), is_missing, "{capability}");
        for test in named {
            assert!(
                code.contains(&format!("fn {test}(")),
                "{number} {capability}: no test `{test}`"
            );
        }
    }
}

#[test]
fn three_line_summaries_are_read() {
    let of = |name: &str, mean: u32| {
        let percentiles = "p50=292 ns p90=333 ns p99=2793 ns p99.9≈7959 ns";
        format!("{name}\nSummary: min/mean/max = 42/{mean} ns/394495 ns\n{percentiles}\n")
    };
    let text = format!(
        "Rep 6/6 done\n{}{}",
        of("imagePoll", 406),
        of("subscriptionPoll", 407)
    );
    let rows = Project::empty()
        .with("run.log", text)
        .run("extract-perf-baseline --input run.log");
    assert_eq!(
        rows.scenarios(),
        ["imagePoll", "subscriptionPoll"],
        "{rows}"
    );
    let columns = "latencyNs,latencyNs.min,latencyNs.max,latencyP50Ns,latencyP90Ns,latencyP99Ns,latencyP99.9Ns";
    assert!(
        rows.out().contains(columns) && rows.out().contains(",406,42,394495,292,333,2793,7959"),
        "{rows}"
    );
}

#[test]
fn rustls_instruction_counts_need_no_format() {
    let counts = "handshake_no_resume_1.2_rsa_aes_server,11327015\ntransfer_no_resume_1.2_rsa_aes_client,8818847\n";
    let rows = Project::empty()
        .with("icounts.csv", counts)
        .run("extract-perf-baseline --input icounts.csv");
    assert!(
        rows.out()
            .starts_with("scenario,platform,commit,runIndex,instructions\n"),
        "{rows}"
    );
    assert!(
        rows.out()
            .contains("handshake_no_resume_1.2_rsa_aes_server,,,-1,11327015\n"),
        "{rows}"
    );
}
