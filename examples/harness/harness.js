// Runs as many operations as each line of the input says, and answers with the nanoseconds that they took.
const readline = require("node:readline");

const data = Array.from({ length: 1024 }, (_, i) => i % 256);

function operation() {
  return data.reduce((hash, byte) => Math.imul(hash ^ byte, 16777619), 2166136261);
}

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const start = process.hrtime.bigint();
  for (let i = Number(line); i > 0; i--) operation();
  process.stdout.write(`${process.hrtime.bigint() - start}\n`);
});
