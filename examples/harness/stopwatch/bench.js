// What is measured inside of a process, with `stopwatch.js` beside this file.
"use strict";

const stopwatch = require("./stopwatch.js");

function work(times) {
  let sum = 0;
  for (let i = 0; i < times * 1000; i++) sum ^= i;
  return sum;
}

async function main() {
  await stopwatch.window("garbage", () => new Array(64).fill(1));
  const table = (trial) => new Map([[trial, "a"]]);
  stopwatch.cold("insert (cold)", table, (map) => map.set(1000, "b"));
  stopwatch.cold("insert (warm code)", table, (map) => map.set(1000, "b"), { warmCode: true });
  let total = 1;
  const multiply = () => (total = Math.imul(total, 7));
  await stopwatch.rounds([["multiply", multiply]], [["sum", () => work(1), () => work(4)]]);
  const rig = stopwatch.rig();
  await stopwatch.oneWay("poll one", rig, (rig, handler) => stopwatch.poll(rig, 1, handler));
  await stopwatch.oneWay("poll all", rig, (rig, handler) => stopwatch.poll(rig, Infinity, handler));
}

main();
