// Profiles a Node.js process or thread from its start, and writes the profile to a file.
const { Session } = require('node:inspector');
const { writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { setFlagsFromString } = require('node:v8');
const { threadId } = require('node:worker_threads');

const folder = process.env.PERF_GATE_PROFILE;
if (folder) {
  // Without this, samples of inlined functions are attributed to their callers.
  for (const flag of ['--no-turbo-inlining', '--no-maglev-inlining']) setFlagsFromString(flag);
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.setSamplingInterval', { interval: 500 });
  session.post('Profiler.start');
  let isWritten = false;
  const write = () => {
    if (isWritten) return;
    isWritten = true;
    session.post('Profiler.stop', (error, result) => {
      if (error) return;
      const { nodes } = result.profile;
      writeFileSync(join(folder, `${process.pid}-${threadId}.cpuprofile`), JSON.stringify({ nodes }));
    });
  };
  process.on('exit', write);
  // Vitest ends its workers with SIGTERM, and replaces `process.exit`.
  const exit = process.exit.bind(process);
  process.once('SIGTERM', () => {
    write();
    exit(143);
  });
}
