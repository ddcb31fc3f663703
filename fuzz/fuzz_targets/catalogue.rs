//! Any text as `perf-gate.toml`: no panic, a mistake has a place in the text, and what is said to be in force
//! is a catalogue that says the same of itself.

#![no_main]

use libfuzzer_sys::fuzz_target;
use perf_rows::catalogue::Catalogue;

fuzz_target!(|text: &str| {
    match Catalogue::parse(text) {
        Err(error) => {
            assert!(!error.message.is_empty());
            assert!(
                error.column >= 1 && (1..=text.matches('\n').count() + 1).contains(&error.line),
                "{error}"
            );
        }
        Ok(catalogue) => {
            let effective = catalogue.effective().expect("it can be written");
            let again = Catalogue::parse(&effective).unwrap_or_else(|error| panic!("{error}\n{effective}"));
            assert_eq!(again.effective().expect("it can be written"), effective);
            answers(&catalogue, text);
        }
    }
});

/// Questions that every table asks, with texts that the catalogue itself may name.
fn answers(catalogue: &Catalogue, text: &str) {
    for word in text.split(['"', '\'', '\n']).take(64) {
        let _ = (catalogue.family(word), catalogue.label(word), catalogue.lists(word));
        let _ = (catalogue.scope_of(word), catalogue.backend_of(word), catalogue.primary_of(word));
        let metric = catalogue.metric(catalogue.metric_name(word));
        if let Some(formula) = &metric.formula {
            let _ = formula.evaluate(&|name| Some(name.len() as f64));
        }
    }
}
