// Measures code inside of a process, and prints rows that perf-gate reads.
//
// rounds: blocks in turn, net of an empty block; window: operations per second; cold: fresh state; oneWay: latency from
// intended starts at a fixed rate. Settings are environment variables, with the defaults of `protocol`. With
// `node --expose-gc`, garbage is collected before each sample.
"use strict";

const fs = require("node:fs");
const { PerformanceObserver } = require("node:perf_hooks");
const { Worker, isMainThread, workerData } = require("node:worker_threads");

const setting = (name, value) => Number(process.env[`STOPWATCH_${name}`] ?? value);
const protocol = {
  warmUp: setting("WARM_UP", 10_000),
  window: setting("WINDOW", 5),
  rounds: setting("ROUNDS", 20),
  sampleMs: setting("SAMPLE_MS", 1),
  trials: setting("TRIALS", 32),
  rate: setting("RATE", 1_000_000),
  length: setting("LENGTH", 1),
  repetitions: setting("REPETITIONS", 5),
  base: process.env.STOPWATCH_BASE,
};

const now = process.hrtime.bigint;
const since = (start) => Number(now() - start);
const note = (text) => process.stderr.write(`${text}\n`);

function row(scenario, methodology, runIndex, metrics, file = 1) {
  fs.writeSync(file, `${JSON.stringify({ scenario, methodology, runIndex, ...metrics })}\n`);
}

function median(values) {
  const sorted = Float64Array.from(values).sort();
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}

function spread(values) {
  return `${median(values).toFixed(3)} ns (${Math.min(...values).toFixed(3)} to ${Math.max(...values).toFixed(3)})`;
}

// The collector's times arrive between turns of the event loop, so everything here is asynchronous.
// If the runtime does not measure them, they are undefined, and rows do not contain them.
const measuresGc = PerformanceObserver.supportedEntryTypes.includes("gc");
let collected = measuresGc ? 0 : undefined;
if (isMainThread && measuresGc) {
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) collected += entry.duration * 1e6;
  }).observe({ entryTypes: ["gc"] });
}
const turn = () => new Promise((resolve) => setTimeout(resolve, 0));

let sink;

// Nanoseconds of a repeated call. Made anew for each body, so that the compiler does not share a call of several.
function timer(body) {
  return new Function("body", "now", "keep", `return (times) => {
    let last;
    const start = now();
    for (let i = 0; i < times; i++) last = body();
    const elapsed = Number(now() - start);
    keep(last);
    return elapsed;
  }`)(body, now, (value) => { sink = value; });
}

const empty = () => {};

// A sample with what the collector took of it.
async function sample(run, times) {
  globalThis.gc?.();
  await turn();
  const before = collected;
  const elapsed = run(times);
  await turn();
  return [elapsed, measuresGc ? collected - before : undefined];
}

// Samples of each block `[name, body]` and of each version `[name, base, current]`, in an order drawn anew in each round.
async function rounds(blocks, versions = []) {
  const noop = timer(empty);
  const sides = blocks.map(([name, body], pair) => ({ name, side: "", pair, run: timer(body), samples: [] }));
  versions.forEach(([name, ...bodies], at) => bodies.forEach((body, is) => {
    const side = is === 0 ? " (base)" : " (current)";
    sides.push({ name, side, pair: blocks.length + at, run: timer(body), samples: [] });
  }));
  const times = [];
  for (const { pair, run } of sides) {
    let count = 1;
    // Twice, as the first call of a number may be compiled during it.
    while (run(count) < protocol.sampleMs * 1e6 || run(count) < protocol.sampleMs * 1e6) count *= 2;
    times[pair] = Math.max(times[pair] ?? 1, count); // versions are repeated equally often
  }
  for (let round = 0; round < protocol.rounds; round++) {
    const order = sides.map((side) => [Math.random(), side]).sort(([a], [b]) => a - b);
    for (const [, { pair, run, samples }] of order) {
      const [gross, gc] = await sample(run, times[pair]);
      const [overhead, gcOfEmpty] = await sample(noop, times[pair]);
      const per = (value) => value / times[pair];
      const gcTime = measuresGc ? per(Math.max(gc - gcOfEmpty, 0)) : undefined;
      samples.push([per(gross - overhead), gcTime, per(overhead)]);
    }
  }
  const base = protocol.base && fs.openSync(protocol.base, "w");
  for (const { name, side, pair, samples } of sides) {
    const [net, gc, overhead] = [0, 1, 2].map((at) => spread(samples.map((taken) => taken[at])));
    const garbage = measuresGc ? `, of which garbage collection ${gc}` : "";
    note(`${name}${side}: ${net}${garbage}; net of an empty block of ${overhead}, ${times[pair]} times a sample`);
    const below = samples.filter(([value]) => value <= 0).length;
    if (below > 0) note(`${name}${side}: ${below} of ${samples.length} samples are not above the empty block: no cost was measured`);
    samples.forEach(([timeNs, gcTimeNs], run) => {
      const metrics = { timeNs, gcTimeNs };
      if (side === "") row(name, "rounds, net of an empty block", run, { launchIndex: 1, ...metrics });
      else if (side === " (current)") row(name, "pairs in random order", run, metrics);
      else row(base ? name : name + side, "pairs in random order", run, metrics, base || 1);
    });
  }
}

// Operations per second over one continuous window.
async function window(name, operation) {
  const run = timer(operation);
  run(protocol.warmUp);
  await turn();
  const before = collected;
  let [operations, batch, elapsed] = [0, 1, 0];
  const start = now();
  while (elapsed < protocol.window * 1e9) {
    run(batch);
    operations += batch;
    const earlier = elapsed;
    elapsed = since(start);
    if (elapsed - earlier < (protocol.window * 1e9) / 200) batch *= 2;
  }
  await turn();
  const timeNs = elapsed / operations;
  const gcTimeNs = measuresGc ? (collected - before) / operations : undefined;
  row(name, "one continuous window in the process", -1, { opsPerSecond: 1e9 / timeNs, timeNs, gcTimeNs });
}

// The median time of one operation on fresh state; `build` is told the number of the trial.
function cold(name, build, operation, { warmCode = false } = {}) {
  for (let trial = 0; warmCode && trial < protocol.trials; trial++) operation(build(trial));
  const times = [];
  for (let trial = 0; trial < protocol.trials; trial++) {
    const state = build(trial);
    const start = now();
    sink = operation(state);
    times.push(since(start));
  }
  note(`${name}: ${spread(times)} in ${times.length} trials`);
  row(name, `one operation ${warmCode ? "of warm code " : ""}on fresh state`, -1, { timeNs: median(times) });
}

// A ring in shared memory that a sending thread and all ways to receive share.
const SLOTS = 1 << 16;
const [SENT, RECEIVED, STATE] = [0, 32, 64]; // in cache lines of their own
const [SENDING, HELD, NOT_HELD] = [0, 1, 2];

function rig(shared = new SharedArrayBuffer(4 * 96 + 8 * SLOTS)) {
  const words = new Int32Array(shared, 0, 96);
  return { shared, words, slots: new BigInt64Array(shared, 4 * 96), received: 0 };
}

// Passes at most so many waiting messages to the handler.
function poll(rig, limit, handler) {
  const taken = Math.min((Atomics.load(rig.words, SENT) - rig.received) | 0, limit);
  for (let i = 0; i < taken; i++) handler(Atomics.load(rig.slots, (rig.received + i) & (SLOTS - 1)));
  rig.received = (rig.received + taken) | 0;
  if (taken > 0) Atomics.store(rig.words, RECEIVED, rig.received);
  return taken;
}

function send({ shared, rate, messages, patience }) {
  const { words, slots } = rig(shared);
  let [sent, message, caughtUp] = [Atomics.load(words, SENT), 0, false];
  const [start, interval] = [now(), 1e9 / rate];
  // A sender that is late at the end gets as much time again, as it may just have lost its processor.
  const limit = messages * 2 + rate / 2;
  for (; message < messages || (!caughtUp && message < limit); message++) {
    const due = start + BigInt(Math.floor(message * interval));
    let current = now();
    caughtUp ||= current <= due && message * 4 >= messages * 3;
    while (current < due || ((sent - Atomics.load(words, RECEIVED)) | 0) >= SLOTS) {
      current = now();
      if (current > due + patience) break;
    }
    if (current > due + patience) break;
    Atomics.store(slots, sent & (SLOTS - 1), due);
    sent = (sent + 1) | 0;
    Atomics.store(words, SENT, sent);
  }
  Atomics.store(words, STATE, message >= messages && caughtUp ? HELD : NOT_HELD);
}

async function repetition(rig, rate, length, receive) {
  Atomics.store(rig.words, STATE, SENDING);
  const messages = Math.max(Math.floor(rate * length), 4);
  const patience = BigInt(Math.floor(length * 5e8)) + 500_000_000n;
  const worker = new Worker(__filename, { workerData: { stopwatch: { shared: rig.shared, rate, messages, patience } } });
  const ended = new Promise((resolve) => worker.once("exit", resolve));
  await new Promise((resolve) => worker.once("online", resolve));
  const [latencies, start] = [[], now()];
  for (;;) {
    const state = Atomics.load(rig.words, STATE);
    const taken = receive(rig, (due) => latencies.push(Number(now() - due)));
    if (state !== SENDING && taken === 0) break;
  }
  const elapsed = since(start);
  await ended;
  return { latencies, isHeld: Atomics.load(rig.words, STATE) === HELD, reached: (latencies.length * 1e9) / elapsed };
}

// Latency from intended starts at the protocol's rate, received by `receive(rig, handler)`.
async function oneWay(name, rig, receive) {
  const { rate, length, repetitions } = protocol;
  const error = median(Array.from({ length: 1001 }, () => -Number(now() - now())));
  for (let rep = 0; rep <= repetitions; rep++) {
    let { latencies, isHeld, reached } = await repetition(rig, rate, length, receive);
    if (!isHeld) {
      do reached = Math.max(Math.floor(reached * 0.8), 1);
      while (reached > 1 && !(await repetition(rig, reached, Math.min(length, 0.2), receive)).isHeld);
      throw new Error(`${name}: ${rate} messages/s cannot be held; ${reached}/s can`);
    }
    latencies = Float64Array.from(latencies).sort();
    const at = (share) => latencies[Math.min(Math.floor(share * latencies.length), latencies.length - 1)];
    const label = rep === 0 ? " (warmup)" : "";
    note(`${name}: Rep ${rep + 1}/${repetitions + 1}${label}: min ${at(0)} ns, p50 ${at(0.5)} ns, p99 ${at(0.99)} ns, each within ${error} ns`);
    if (rep === 0) continue;
    const metrics = { launchIndex: 1, latencyMs: latencies.reduce((sum, ns) => sum + ns, 0) / latencies.length / 1e6 };
    for (const [end, share] of [[".min", 0], [".max", 1]]) metrics[`latencyMs${end}`] = at(share) / 1e6;
    for (const share of [50, 90, 99, 99.9]) metrics[`latencyP${share}Ms`] = at(share / 100) / 1e6;
    row(name, "one-way, intended starts, polled in the process", rep - 1, { ...metrics, requests: latencies.length });
  }
}

if (!isMainThread && workerData?.stopwatch) send(workerData.stopwatch);

module.exports = { protocol, rounds, window, cold, rig, poll, oneWay };
