//! Adjusts JavaScript benchmark tools with a module that Node.js loads first. The module makes tools measure batches of
//! calls, shortens their default times, and selects benchmarks.

use std::fmt::Write;

/// The module, which changes benchmark tools when they are loaded. It leaves all other code unchanged.
const MODULE: &str = include_str!("batches.mjs");

/// The environment variable that contains the selected benchmarks' names, as JSON.
pub const ONLY: &str = "PERF_GATE_ONLY";

/// The environment variable that contains the total time of a benchmark's samples, in seconds.
pub const TIME: &str = "PERF_GATE_TIME";

/// Returns the Node.js option that loads the module. The option contains the module's source, so no file is needed.
pub fn option() -> String {
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

    /// Runs `script.mjs` of a project with the module, and returns its output and results.
    fn launched(files: &[(&str, &str)], only: Option<&str>) -> Option<(String, String)> {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let mut node = Command::new("node");
        node.arg("script.mjs")
            .current_dir(folder.path())
            .env("NODE_OPTIONS", option());
        node.env("PERF_GATE_RESULTS", folder.path().join("new/results"));
        node.envs(only.map(|only| (ONLY, only)));
        // Old versions of Node.js do not support `--import`.
        let output = node
            .output()
            .ok()
            .filter(|output| output.status.success())?;
        let results = fs::read_to_string(folder.path().join("new/results")).unwrap_or_default();
        Some((
            String::from_utf8_lossy(&output.stdout).into_owned(),
            results,
        ))
    }

    /// The benchmark names in a results file.
    fn names(results: &str) -> Vec<String> {
        let name = |line: &str| {
            let tasks: serde_json::Value = serde_json::from_str(line).unwrap();
            let latency = &tasks[0]["result"]["latency"];
            assert!(
                latency["min"].as_f64().unwrap() <= latency["mean"].as_f64().unwrap(),
                "{line}"
            );
            tasks[0]["name"].as_str().unwrap().to_owned()
        };
        results.lines().map(name).collect()
    }

    #[test]
    fn only_default_times_of_mitata_are_shorter() {
        let mitata = "export const k_min_cpu_time = 640 * 1e6, k_other = 640 * 1e6;
            export const calls = (t0, t1) => {
                const opts = { batch_samples: 4096, batch_threshold: 65536 };
                let batch;
                if (batch = (t1 - t0) <= opts.batch_threshold) return opts.batch_samples;
            };
            export const old = ($w) => {
                let now = 0, s = 0, samples = [];
                let t = 600_000_000;
                if ($w > 10_000) return 'single calls';
                while (s < t || 128 > samples.length) {
                    const t0 = now;
                    for (let o = 0; o < 256; o++) now += 8 * $w;
                    const t1 = now;
                    s += t1 - t0;
                    samples.push((t1 - t0) / 2048);
                }
                return [samples.length, samples[0]];
            };";
        let script = "import * as mitata from './node_modules/mitata/lib.mjs';
            console.log(JSON.stringify({ ...mitata, calls: [10, 1e4].map((time) => mitata.calls(0, time)),
                old: [100, 2e4, 7e4].map(mitata.old) }));";
        let files = [
            ("node_modules/mitata/lib.mjs", mitata),
            ("script.mjs", script),
        ];
        let old = r#"[[245,100],[79,20000],"single calls"]"#;
        let expected = format!(
            r#"{{"calls":[4096,52],"k_min_cpu_time":50000000,"k_other":640000000,"old":{old}}}"#
        );
        let Some((printed, results)) = launched(&files, None) else {
            return;
        };
        assert_eq!((printed.trim(), &*results), (expected.as_str(), ""));
    }

    #[test]
    fn batches_of_mitata_0_1_are_short() {
        let mitata = "let time = 0;
            const now = () => time, k_batch_samples = 2048, k_batch_threshold = 16384;
            const k_min_cpu_time = 640 * 1e6;
            const measured = (fn, batch) => new Function('$fn', '$now', `
                let t = 0;
                const samples = [];
                while (t < ${k_min_cpu_time}) {
                    const t0 = $now();
                    ${!batch ? '' : `for (let o = 0; o < ${k_batch_samples}; o++)`} $fn();
                    const diff = $now() - t0;
                    t += diff;
                    samples.push(diff ${!batch ? '' : `/ ${k_batch_samples}`});
                }
                return [samples.length, samples.at(-1)];
            `)(fn, now);
            export const ofCalls = async (fn) => {
                let async = false, batch = false;
                const t0 = now();
                fn(); const t1 = now();
                batch = (t1 - t0) <= k_batch_threshold;
                return measured(fn, batch);
            };
            export const taking = (ns) => () => { time += ns; };
            export const quickOnce = () => { let calls = 0; return () => { time += ++calls === 2 ? 10 : 20000; }; };";
        let script = "import * as mitata from './node_modules/mitata/lib.mjs';
            const measured = [];
            for (const fn of [mitata.taking(10), mitata.taking(2700), mitata.taking(20000), mitata.quickOnce()])
                measured.push(await mitata.ofCalls(fn));
            console.log(JSON.stringify(measured));";
        let files = [
            ("node_modules/mitata/lib.mjs", mitata),
            ("script.mjs", script),
        ];
        let Some((printed, _)) = launched(&files, None) else {
            return;
        };
        assert_eq!(
            printed.trim(),
            "[[2442,10],[145,2700],[2500,20000],[50001,20000]]"
        );
    }

    /// The parts of tinybench that all versions contain.
    const TINYBENCH: &str = "export class Task {
            constructor(bench, name, fn, opts) { Object.assign(this, { bench, name, fn, opts, warm: 0 }); }
            async warmup() { do { await this.fn(); this.warm++; } while (this.warm < this.bench.warmupIterations); }
            async run() {
                const samples = [];
                for (let total = 0; total < this.bench.time || samples.length < this.bench.iterations;) {
                    const begin = this.bench.now();
                    await this.fn();
                    samples.push(this.bench.now() - begin);
                    total += samples.at(-1);
                }
                this.result = { samples, mean: samples.reduce((a, b) => a + b) / samples.length };
                return this;
            }
        }
        export class Bench {
            constructor(options) { Object.assign(this, { time: 60000, warmupIterations: 9e9, now: () => performance.now() }, options); }
            tasks = [];
            add(name, fn, opts = {}) { this.tasks.push(new Task(this, name, fn, opts)); return this; }
            getTask(name) { return this.tasks.find((task) => task.name === name); }
        }";

    #[test]
    fn tinybench_measures_batches_of_the_chosen_benchmarks() {
        let script = "import { Bench } from 'tinybench';
            let calls = { sum: 0, wait: 0 };
            for (const name of ['\\u001b[31mmath\\u001b[39m', undefined, undefined]) {
                const bench = new Bench({ name, iterations: 9e9 });
                bench.add('sum', () => { calls.sum++; }).add('wait', async () => { calls.wait++; });
                for (const task of bench.tasks) { await task.warmup(); await task.run(); }
                console.log(bench.tasks.map((task) => task.result.samples.length).join(), bench.time, bench.iterations);
            }
            console.log(Object.values(calls).map((count) => count > 1000).join());";
        let manifest = r#"{"type": "module", "exports": "./dist/index.js"}"#;
        let files = [
            ("node_modules/tinybench/dist/index.js", TINYBENCH),
            ("node_modules/tinybench/package.json", manifest),
            ("script.mjs", script),
        ];
        let Some((printed, results)) = launched(&files, None) else {
            return;
        };
        assert_eq!(
            printed,
            "20,20 60000 9000000000\n".repeat(3) + "true,true\n"
        );
        assert_eq!(
            names(&results),
            ["math/sum", "math/wait", "sum", "wait", "sum #2", "wait #2"]
        );
        let (printed, results) = launched(&files, Some(r#"["sum #2"]"#)).unwrap();
        assert_eq!(
            printed,
            "20,20 60000 9000000000\n".repeat(3) + "true,false\n"
        );
        assert_eq!(
            names(&results),
            ["sum", "sum #2"],
            "distinguished only by their order"
        );
    }

    #[test]
    fn benchmark_js_measures_batches() {
        let benchmark = "const { EventEmitter } = require('events');
            class Benchmark extends EventEmitter {
                constructor(name, fn) { super(); Object.assign(this, { name, fn, options: {}, minTime: 0.05, stats: { sample: [1] } }); }
                setup() {}
                teardown() {}
                run() {
                    this.emit('start');
                    try { this.fn(); } catch (error) { this.error = error; }
                    this.hz = this.minTime;
                    this.emit('complete');
                }
            }
            Benchmark.Suite = class extends Array {
                add(name, fn) { this.push(new Benchmark(name, fn)); return this; }
                run() { for (const bench of this) { bench.run(); console.log(bench.name, bench.hz > 1); } }
            };
            module.exports = Benchmark;";
        let script = "import benchmark from 'benchmark';
            const suite = new benchmark.Suite();
            suite.add('sum', () => { let sum = 0; for (let i = 0; i < 9; i++) sum += i; return sum; });
            suite.add('fails', () => { throw new Error('no'); }).run();
            for (const title of ['\\n# Small', '# Large']) {
                console.log(title);
                new benchmark.Suite().add('sum', () => title.length).run();
            }";
        let files = [
            ("node_modules/benchmark/benchmark.js", benchmark),
            (
                "node_modules/benchmark/package.json",
                r#"{"main": "benchmark.js"}"#,
            ),
            ("script.mjs", script),
        ];
        let Some((printed, results)) = launched(&files, None) else {
            return;
        };
        assert_eq!(
            printed,
            "sum true\nfails false\n\n# Small\nsum true\n# Large\nsum true\n"
        );
        assert_eq!(names(&results), ["sum", "Small: sum", "Large: sum"]);
        let (_, results) = launched(&files, Some(r#"["Large: sum"]"#)).unwrap();
        assert_eq!(names(&results), ["Large: sum"]);
    }

    #[test]
    fn the_option_is_one_word() {
        let option = option();
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-=:/,%".contains(&byte);
        assert!(
            option.bytes().all(allowed) && option.contains("%24150e6"),
            "{option}"
        );
    }
}
