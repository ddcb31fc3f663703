//! autocannon's tables.

use super::{account, common, read};

#[test]
fn errors_and_no_response() {
    insta::assert_snapshot!(account("autocannon-text", "autocannon/table.txt"));
}

#[test]
fn last_line_needs_no_line_end() {
    let text = |last: &str| {
        format!(
            "Running 20s test @ http://localhost:8080/info\n100 connections\n\n\
             │ Stat    │ 2.5%   │ 50%    │ 97.5%  │ 99%     │ Avg       │ Stdev     │ Max     │\n\
             │ Latency │ 186 ms │ 227 ms │ 481 ms │ 1168 ms │ 254.28 ms │ 121.62 ms │ 1324 ms │\n\
             │ Stat      │ 1%  │ 2.5% │ 50%    │ 97.5%  │ Avg    │ Stdev  │ Min    │\n\
             │ Req/Sec   │ 0   │ 0    │ 419    │ 497    │ 393.3  │ 112.19 │ 258    │\n\n\
             8k requests in 20.27s, 12.7 MB read{last}"
        )
    };
    insta::assert_snapshot!(common::account(&read(text("").as_bytes())));
    insta::assert_snapshot!(common::account(&read(
        text("\n13 errors (2 timeouts)").as_bytes()
    )));
}
