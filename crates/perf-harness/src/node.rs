//! Batches of calls, shorter default times and chosen benchmarks, by a module that Node.js loads before any other.

use std::fmt::Write;

/// Changes benchmark tools as they are loaded. What it does not recognise stays as it is.
const MODULE: &str = include_str!("batches.mjs");

/// The variable with the names of the chosen benchmarks as JSON.
pub(crate) const ONLY: &str = "PERF_GATE_ONLY";

/// The variable with the seconds that the samples of a benchmark take together.
pub(crate) const TIME: &str = "PERF_GATE_TIME";

/// The option of Node.js with the module in it, so that it needs no file that a launch can see.
pub(crate) fn option() -> String {
    let mut option = "--import=data:text/javascript,".to_owned();
    for byte in MODULE.bytes() {
        if byte.is_ascii_alphanumeric() {
            option.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(option, "%{byte:02X}");
        }
    }
    option
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::Command;

    use super::*;

    #[test]
    fn only_default_times_are_shorter() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let mitata = "export const k_min_cpu_time = 640 * 1e6, k_other = 640 * 1e6;
            export const old = 'let t = 600_000_000; 10 > samples.length; 128 > samples.length';";
        write("node_modules/mitata/lib.mjs", mitata);
        let bench = "export class Bench { constructor(options) { this.time = 500; this.warmupTime = 100;
            this.iterations = 500; this.time = options.time ?? this.time; } }";
        write("node_modules/tinybench/dist/index.js", bench);
        write("node_modules/tinybench/package.json", "{\"type\":\"module\"}");
        let script = "import * as mitata from './node_modules/mitata/lib.mjs';
            import { Bench } from './node_modules/tinybench/dist/index.js';
            console.log(JSON.stringify([mitata, new Bench({}), new Bench({ time: 500 })]));";
        write("script.mjs", script);
        let mut node = Command::new("node");
        node.arg("script.mjs").current_dir(folder.path()).env("NODE_OPTIONS", option());
        let Ok(output) = node.output() else { return };
        let printed = String::from_utf8_lossy(&output.stdout);
        let bench = |time: u32| format!(r#"{{"time":{time},"warmupTime":20,"iterations":500}}"#);
        let old = "let t = 50_000_000; 10 > samples.length; 16 > samples.length";
        let mitata = format!(r#"{{"k_min_cpu_time":50000000,"k_other":640000000,"old":"{old}"}}"#);
        // An older Node.js has no `--import`.
        assert!(
            !output.status.success() || printed.trim() == format!("[{mitata},{},{}]", bench(50), bench(500)),
            "{printed}"
        );
    }

    #[test]
    fn the_option_is_one_word() {
        let option = option();
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-=:/,%".contains(&byte);
        assert!(option.bytes().all(allowed) && option.contains("%24150e6"), "{option}");
    }
}
