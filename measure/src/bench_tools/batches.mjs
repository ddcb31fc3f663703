// Makes tinybench and benchmark.js measure batches of calls, which none of their options does. Shortens mitata's default times,
// runs only the selected benchmarks, and makes the filter of Vitest 1 find benchmarks as well as tests.
import * as node from "node:module";
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { stripVTControlCharacters } from "node:util";

const { PERF_GATE_ONLY: only, PERF_GATE_RESULTS: results } = process.env;
const chosen = only && JSON.parse(only);
// Milliseconds for all samples of a benchmark, for its warm-up, and for a batch that is long compared to reading the clock.
const TIME = 1000 * (Number(process.env.PERF_GATE_TIME) || 0.04);
const WARM_UP = 20;
const BATCH = 0.02;
// The fewest samples, even of long calls.
const FEWEST = 5;
// The number of quantiles that replace the tool's samples.
const QUANTILES = 20;

// The last heading that was printed (`# Arrays`). It distinguishes benchmarks of the same name.
let heading = "";
const { log } = console;
if (results) console.log = function (...words) {
  const last = words.length === 1 && typeof words[0] === "string" && words[0].includes("#") && stripVTControlCharacters(words[0]).trim().split("\n").at(-1);
  heading = (last && /^#{1,6} (.+)$/.exec(last)?.[1].trim()) || heading;
  return log.apply(this, words);
};
// Removes the dots with which benchmark.js scripts pad names to equal length.
const unpadded = (name) => `${name}`.replace(/(?<=[^\s.])[\s.]*$/, "");
// Measures all benchmarks of a selected name, because only their order distinguishes them.
const isChosen = (name) => !chosen || chosen.some((one) => unpadded(one) === name || one.startsWith(`${name} #`));
const named = (suite, task) => {
  const name = stripVTControlCharacters(suite && suite !== task ? `${suite}/${task}` : `${task}`).trim();
  return heading ? `${heading}: ${name}` : name;
};
const write = (name, latency) => {
  if (!results || !isChosen(name)) return;
  mkdirSync(dirname(results), { recursive: true });
  // Several processes may write to the file.
  const known = existsSync(results) ? readFileSync(results, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line)[0].name) : [];
  let own = name;
  for (let number = 2; known.includes(own); number++) own = `${name} #${number}`;
  appendFileSync(results, JSON.stringify([{ name: own, result: { latency } }]) + "\n");
};
const summary = (samples) => {
  const mean = samples.reduce((sum, one) => sum + one, 0) / samples.length;
  return { mean, min: samples[0], max: samples.at(-1), p50: samples[samples.length >> 1] };
};
// Uses the median of single calls, because the fastest of short calls is a single step of the clock.
const ofSingle = ({ mean, p50, samples }) => ({ mean, min: p50 ?? samples?.[samples.length >> 1] ?? mean });
// Takes the middle of each part, so extremes are ignored.
const quantiles = (samples) => {
  samples.sort((one, other) => one - other);
  return Array.from({ length: QUANTILES }, (_, part) => samples[Math.floor((part + 0.5) / QUANTILES * samples.length)]);
};

const once = new WeakSet();

// One function calls all benchmarks, so none is inlined. Otherwise a benchmark without an effect would be optimised away,
// and its time would depend on the benchmarks before it.
const batch = (fn, self, calls) => {
  const begin = performance.now();
  for (let call = 0; call < calls; call++) fn.call(self);
  return performance.now() - begin;
};
for (const fn of [() => 1, () => 2, () => 3]) batch(fn, null, 2);
const asyncBatch = async (fn, self, calls) => {
  const begin = performance.now();
  for (let call = 0; call < calls; call++) await fn.call(self);
  return performance.now() - begin;
};
// Yields the number of calls in the next batch, receives its time, and returns sorted times per call. Time limits are compared
// with undisturbed time: on a busy machine, a single time slice of another process would use them up.
function* sampling(isBrief) {
  let quickest = Infinity;
  const begin = performance.now();
  const isOver = (spent, enough) => spent >= enough || performance.now() - begin > 20 * (TIME + WARM_UP);
  let calls = 1;
  for (let spent = 0; !isOver(spent, WARM_UP); spent += calls * quickest) {
    const time = yield calls;
    if (isBrief) return [time];
    quickest = Math.min(quickest, time / calls);
    if (calls * quickest < BATCH / 2) calls *= 2;
  }
  calls = Math.max(1, Math.round(BATCH / quickest));
  const samples = [];
  for (let spent = 0; !isOver(spent, TIME) || samples.length < FEWEST; spent += calls * quickest) {
    const sample = (yield calls) / calls;
    quickest = Math.min(quickest, sample);
    samples.push(sample);
  }
  return quantiles(samples);
}
const sampled = (fn, self, isBrief) => {
  const steps = sampling(isBrief);
  let step = steps.next();
  while (!step.done) step = steps.next(batch(fn, self, step.value));
  return step.value;
};
const asyncSampled = async (fn, self, isBrief) => {
  const steps = sampling(isBrief);
  let step = steps.next();
  while (!step.done) step = steps.next(await asyncBatch(fn, self, step.value));
  return step.value;
};

// tinybench reads a clock, calls the function and reads the clock again. The first call is replaced by batches, and from then
// on the clock returns their samples.
const tinybench = ({ Bench, Task }) => {
  if (!Task || once.has(Task)) return;
  once.add(Task);
  const records = new WeakMap();
  let active;
  const now = () => {
    if (!active) return performance.now();
    active.isInside = !active.isInside;
    const { samples } = active;
    if (!active.isInside && samples) active.time += samples[active.at++ % samples.length];
    return active.time;
  };
  const replaced = (record) => {
    const { fn } = record;
    const instead = function (...words) {
      if (record !== active || !record.isInside) return fn.apply(this, words);
      if (record.samples) return undefined;
      const returned = fn.call(this);
      const isBrief = !isChosen(record.name);
      if (typeof returned?.then !== "function") return void (record.samples = sampled(fn, this, isBrief));
      return returned.then(() => asyncSampled(fn, this, isBrief)).then((samples) => void (record.samples = samples));
    };
    return fn.constructor.name === "AsyncFunction" ? async function (...words) { return instead.apply(this, words); } : instead;
  };
  // Vitest creates tasks without `add`.
  const recorded = (task) => {
    if (!records.has(task)) {
      const record = { fn: task.fn, bench: task.bench, hooks: task.opts ?? task.fnOpts ?? {}, name: task.name };
      records.set(task, record);
      task.fn = replaced(record);
    }
    return records.get(task);
  };
  const change = (method, isMeasured, inBatches, single) => {
    const original = Task.prototype[method];
    if (original) Task.prototype[method] = function () {
      const record = recorded(this);
      const { bench, hooks } = record;
      // With hooks around each call, calls cannot be batched.
      const isSingle = bench.concurrency || hooks.beforeEach || hooks.afterEach;
      const settings = isSingle ? single : inBatches;
      const options = bench.opts ?? bench;
      const own = Object.fromEntries(Object.keys(settings).map((key) => [key, options[key]]));
      Object.assign(options, settings);
      if (isMeasured && !isSingle) active = Object.assign(record, { isInside: false, samples: undefined, at: 0, time: 0 });
      const end = (returned) => {
        active = undefined;
        Object.assign(options, own);
        const { latency = this.result } = this.result ?? {};
        if (isMeasured && latency) write(record.name, isSingle ? ofSingle(latency) : summary(record.samples));
        return returned;
      };
      const returned = original.call(this);
      return typeof returned?.then === "function" ? returned.then(end) : end(returned);
    };
  };
  for (const method of ["run", "runSync"]) change(method, true, { time: 0, iterations: QUANTILES, now }, { time: TIME, iterations: FEWEST });
  for (const method of ["warmup", "warmupSync"]) change(method, false, { warmupTime: 0, warmupIterations: 1 }, { warmupTime: WARM_UP });
  const { add } = Bench.prototype;
  Bench.prototype.add = function (task, fn, hooks = {}) {
    const record = { fn, bench: this, hooks, name: named(this.name, task) };
    // Since version 6, the clock and the function are private fields of tasks.
    if (this.timestampProvider) this.timestampProvider = { name: "batches", fn: now, toMs: (time) => time };
    const returned = add.call(this, task, replaced(record), hooks);
    records.set(this.getTask(task), record);
    return returned;
  };
};

// benchmark.js measures batches of 50 ms for 5 s. Benchmarks with set-up or teardown code keep its own batches, but shorter ones.
const benchmarkJs = (Benchmark) => {
  if (!Benchmark?.Suite || once.has(Benchmark)) return;
  once.add(Benchmark);
  const names = new WeakMap();
  const { add } = Benchmark.Suite.prototype;
  Benchmark.Suite.prototype.add = function (...words) {
    const returned = add.apply(this, words);
    const bench = this[this.length - 1];
    names.set(bench, named(this.name, unpadded(bench.name ?? bench.id)));
    return returned;
  };
  const { run, setup, teardown } = Benchmark.prototype;
  const prepare = (bench) => {
    const name = names.get(bench) ?? named("", unpadded(bench.name ?? bench.id));
    const isPlain = typeof bench.fn === "function" && !bench.defer && bench.setup === setup && bench.teardown === teardown;
    const isBrief = isPlain || !isChosen(name);
    const shorter = { minTime: isBrief ? 1e-6 : 0.0001, maxTime: isBrief ? 0 : TIME / 1000, minSamples: isBrief ? 1 : FEWEST, delay: 0 };
    Object.assign(bench, shorter);
    Object.assign(bench.options, shorter);
    let samples = [];
    bench.on("start", () => {
      // benchmark.js reports errors itself.
      try { samples = isPlain ? sampled(bench.fn, bench, !isChosen(name)) : []; } catch { samples = []; }
    });
    bench.on("complete", () => {
      if (!isPlain) samples = quantiles(bench.stats.sample.map((seconds) => seconds * 1000));
      if (!samples.length || bench.error) return;
      const found = summary(samples);
      bench.hz = 1000 / found.mean;
      write(name, found);
    });
  };
  Benchmark.prototype.run = function (options) {
    // benchmark.js measures each sample with a clone, which must not be prepared.
    if (!this._original && !once.has(this)) {
      once.add(this);
      prepare(this);
    }
    return run.call(this, options);
  };
};

// Changes a module's source when it is loaded.
const changed = (url, source, only) => {
  // In names, `$` precedes each parameter.
  const isChosen = only && `((group, name) => ${only}.some((one) => [name, group + "/" + name].some((known) =>
    known.includes("$") ? one.startsWith(known.split("$")[0]) : one === known)))`;
  if (/@vitest\/runner\//.test(url)) return source.replace(/(if \()(t\.type === "test")(\) \{\s*if \(namePattern)/, '$1$2 || t.type === "custom"$3');
  // mitata before 1.0 takes at least 128 samples for 600 ms. Each has 2048 calls, or one if the first calls take more than 10 µs.
  // For calls of about that length, process runs would differ.
  const old = /\blet t = 600_000_000;([^]*?\$w > )10_000([^]*?\bo < )256(;[^]*?\bs \+= )(t1 - t0)(;\s*samples\.push\(\(t1 - t0\) \/ )2048\)/;
  // Compare limits with undisturbed time, as for tinybench.
  const batches = "let t = 600_000_000, $n = Math.min(256, Math.max(2, Math.ceil(62_500 / $w))), $q = Infinity;$165_536$2$n$3$q = Math.min($q, $4)$5(8 * $n))";
  // 0.1.14 measures batches of 2048 calls, which take 4 ms if a call takes 2 µs. Size them for 0.25 to 0.5 ms, by the fastest of three.
  const least = "for (least = Infinity, n = 0; n < 3; n++) { const t0 = now(); for (let o = 0; o < batch; o++) async ? await fn() : fn(); least = Math.min(least, now() - t0); }";
  const sized = `if (batch) { let least = 0, n; for (batch = 16; least < 250e3 && batch < k_batch_samples;) { batch *= 2; ${least} } }`;
  // Later versions measure batches of 4096 calls. With 10 µs each, these exceed a scheduler time slice. Size them for 0.5 ms by the
  // first calls.
  const calls = (most) => `Math.min(${most}, Math.max(16, 4 * Math.ceil(125e3 / (t1 - t0))))`;
  const sizes = /\bfn\(\); const t1 = now\(\);\s*batch = \(t1 - t0\) <= k_batch_threshold;/;
  const inBatches = !sizes.test(source) ? source : source.replace(sizes, `$& ${sized}`)
    .replace(/\byield void 0; const t1 = now\(\);\s*batch = \(t1 - t0\) <= k_batch_threshold/, `$& && ${calls("k_batch_samples")}`)
    .replace(/\$\{k_batch_samples\}/g, "${batch}")
    // Ends even if one call is much faster than the others.
    .replace(/(`\s*let t = 0);([^]*?\bt \+= )diff;/g, "$1, q = Infinity;$2Math.max(q = Math.min(q, diff), diff / 20);");
  const shorter = inBatches.replace(old, batches).replace(/(\bk_min_cpu_time\s*=\s*)[\d_]+\s*\*\s*1e6/, "$150e6")
    .replace(/\bbatch = \(t1 - t0\) <= opts\.batch_threshold/g, `($&) && (opts.batch_samples = ${calls("opts.batch_samples")})`)
    .replace(/(\blet t = )600_000_000\b/, "$150_000_000").replace(/\b128( > samples\.length)/, "16$1");
  if (!isChosen) return shorter;
  return shorter
    // mitata fails to summarise a group without benchmarks.
    .replace("groups.add(o.name);", "")
    .replace(/\bbenchmarks\.push\(\{(?=\s*fn,)/g, `${isChosen}(g, name) && (g === null || groups.add(g)) && benchmarks.push({`)
    .replace("collection.trials.push(b)", `${isChosen}(collection.name, n) && collection.trials.push(b)`);
};
const before = (url) => {
  if (!/\/tinybench\/dist\/[\w.]*js$/.test(url)) return undefined;
  const source = `export * from "${url}?own"; import * as own from "${url}?own"; globalThis[Symbol.for("perf-gate")](own);`;
  return { format: "module", shortCircuit: true, source };
};
const after = (loaded, url, only) => {
  if (loaded.source == null || !/mitata\/.*\.m?js$|@vitest\/runner\//.test(url)) return loaded;
  return { ...loaded, source: changed(url, String(loaded.source), only) };
};
globalThis[Symbol.for("perf-gate")] = tinybench;
const { _load: load } = node.default;
node.default._load = function (request, ...words) {
  const loaded = load.call(this, request, ...words);
  if (/(^|[\\/])benchmark(\.js)?$/.test(request)) benchmarkJs(loaded);
  if (/(^|[\\/])tinybench([\\/]|$)/.test(request)) tinybench(loaded);
  return loaded;
};
if (node.registerHooks) {
  node.registerHooks({ load: (url, context, next) => before(url) ?? after(next(url, context), url, only) });
} else {
  node.register?.("data:text/javascript," + encodeURIComponent(`const before = ${before}; const changed = ${changed}; const after = ${after};
    export const load = async (url, context, next) => before(url) ?? after(await next(url, context), url, ${JSON.stringify(only)});`));
}
