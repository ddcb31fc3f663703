//! Parses any text as `perf-gate.toml`. Checks: no panics; errors point into the text; the effective config is valid
//! and stays the same when it is parsed and written again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use perf_config::Config;
use perf_model::suite::Definitions;

fuzz_target!(|text: &str| {
    match Config::parse(text) {
        Err(error) => {
            assert!(!error.message.is_empty());
            assert!(
                error.column >= 1 && (1..=text.matches('\n').count() + 1).contains(&error.line),
                "{error}"
            );
        }
        Ok(config) => {
            let effective = config.effective().expect("it can be written");
            let again =
                Config::parse(&effective).unwrap_or_else(|error| panic!("{error}\n{effective}"));
            assert_eq!(again.effective().expect("it can be written"), effective);
            answers(&config, text);
        }
    }
});

/// Queries every table with words from the config itself.
fn answers(config: &Config, text: &str) {
    for word in text.split(['"', '\'', '\n']).take(64) {
        let _ = (config.family(word), config.label(word), config.lists(word));
        let _ = (
            config.scope_of(word),
            config.backend_of(word),
            config.primary_of(word),
        );
        let metric = config.metric(config.metric_name(word));
        if let Some(formula) = &metric.formula {
            let _ = formula.evaluate(&|name| Some(name.len() as f64));
        }
    }
}
