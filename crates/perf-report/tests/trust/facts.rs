//! The JSON of histories, confirmation runs, waivers and pairs.

use perf_report::json;
use perf_report::report::Remarks;
use serde_json::Value;

use crate::trust::common::{Case, noise, run};

fn report(case: &Case) -> Value {
    let (comparison, config) = case.compared();
    let mut text = Vec::new();
    let report = json::Report::new(&comparison, &config, Vec::new(), &Remarks::default());
    report.write(&mut text).unwrap();
    serde_json::from_slice(&text).unwrap()
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap()
}

#[test]
fn a_waived_suspect_has_its_history_and_its_waiver() {
    let rows = |times: f64| [("decode", 100.0 * times, 1)];
    let waiver =
        "waivers = [{ scenario = 'decode', reason = 'known', by = 'ada', until = 2026-12-31 }]";
    let case = Case {
        config: waiver.to_owned(),
        history: (0..10).map(|commit| run(commit, &rows(1.0), 0.0)).collect(),
        baseline: run(10, &rows(1.0), 0.0),
        current: run(11, &rows(1.2), 0.0),
        confirmation_runs: vec![run(12, &rows(1.2), 0.0)],
        ..Case::default()
    };
    let report = report(&case);
    assert_eq!(report["regressed"], false);
    assert_eq!(report["counts"]["waived"], 1);
    insta::assert_snapshot!(pretty(&report["waivers"]), @r#"
    [
      {
        "by": "ada",
        "covered": 1,
        "expired": false,
        "metric": null,
        "reason": "known",
        "scenario": "decode",
        "until": "2026-12-31"
      }
    ]
    "#);
    let metric = pretty(&report["scopes"][0]["scenarios"][0]["metrics"][0]);
    let history = "      100.0,\n".repeat(3);
    insta::assert_snapshot!(metric.replace(&history, ""), @r#"
    {
      "band": {
        "limit": 105.0,
        "median": 100.0,
        "normal": 100.0,
        "values": 11
      },
      "baseline": 100,
      "better": "lower",
      "change": 0.2,
      "confirmation": {
        "confirmed": 1,
        "needed": 1,
        "repeats": 1
      },
      "current": 120,
      "decidedBy": "history",
      "detectable": 0.05,
      "history": [
        100.0,
        100.0,
        100.0,
        100.0,
        100.0,
        100.0,
        100.0,
        100.0,
        100.0,
        100.0,
        100.0
      ],
      "limit": 0.05,
      "loss": null,
      "metric": "decodeNs",
      "noise": 0.0,
      "reason": "100 → 120 ns (+20% slower than the median of 11); normal up to 100, limit 105; confirmed in 1 of 1 confirmation runs; waived: known (ada, until 2026-12-31)",
      "reference": {
        "change": 0.2,
        "median": 100.0,
        "values": 11
      },
      "rule": "limit",
      "suspect": true,
      "tooTight": false,
      "unit": "ns",
      "verdict": "regressed",
      "waived": {
        "reason": "known",
        "waiver": 0
      },
      "warned": false
    }
    "#);
}

#[test]
fn pairs_and_launches_have_their_numbers() {
    let csv = |seed: u32, times: f64| {
        let launches = (0..20).map(|run| {
            format!(
                "decode,{run},{}\n",
                100.0 * times * (1.0 + 0.004 * noise(seed + run))
            )
        });
        "scenario,runIndex,decodeNs\n".to_owned() + &launches.collect::<String>()
    };
    let mut case = Case {
        baseline: csv(1, 1.0),
        current: csv(90, 1.2),
        paired: true,
        ..Case::default()
    };
    let facts = |case: &Case, what: &str| {
        let metric = report(case)["scopes"][0]["scenarios"][0]["metrics"][0].clone();
        (metric["decidedBy"].to_string(), metric[what].clone())
    };
    let (by, pairs) = facts(&case, "pairs");
    assert_eq!(by, "\"pairs\"");
    assert_eq!(
        (&pairs["pairs"], &pairs["slower"]),
        (&16.into(), &16.into())
    );
    assert!(
        pairs["low"].as_f64() < pairs["median"].as_f64()
            && pairs["median"].as_f64() < pairs["high"].as_f64()
    );
    // The evidence must not repeat the medians of both sides, which are not the numbers in the table.
    let evidence = |case: &Case| {
        let markdown = case.markdown();
        let line = markdown
            .lines()
            .find(|line| line.contains("Rule: "))
            .unwrap_or_default()
            .to_owned();
        (
            line.contains("typically +20% slower"),
            line.contains("baseline 1"),
        )
    };
    assert_eq!(evidence(&case), (true, false), "{}", case.markdown());
    case.paired = false;
    assert!(!evidence(&case).1, "{}", case.markdown());
    let (by, samples) = facts(&case, "samples");
    assert_eq!(by, "\"samples\"");
    assert_eq!(samples["launches"], serde_json::json!([20, 20]));
    assert!(
        samples["p"].as_f64().unwrap() < 1e-6 && samples["low"].as_f64().unwrap() > 0.19,
        "{samples}"
    );
}
