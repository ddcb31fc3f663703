// Loads mitata and tinybench with shorter default times, which no option of theirs sets, and with the chosen benchmarks alone;
// lets the filter of Vitest 1 find benchmarks, too.
import * as node from "node:module";
const only = process.env.PERF_GATE_ONLY;
const isProfiled = Boolean(process.env.PERF_GATE_PROFILE);
const changed = (url, source) => {
  // A name with parameters has `$` before each.
  const chosen = only && `((group, name) => ${only}.some((one) => [name, group + "/" + name].some((known) =>
    known.includes("$") ? one.startsWith(known.split("$")[0]) : one === known)))`;
  if (/@vitest\/runner\//.test(url)) return source.replace(/(if \()(t\.type === "test")(\) \{\s*if \(namePattern)/, '$1$2 || t.type === "custom"$3');
  if (/mitata\/.*\.m?js$/.test(url)) {
    // Before 1.0, in the text of a function: at least 128 samples of 2048 calls, each for 600 ms.
    const shorter = source.replace(/(\bk_min_cpu_time\s*=\s*)[\d_]+\s*\*\s*1e6/, "$150e6")
      .replace(/(\blet t = )600_000_000\b/, "$150_000_000").replace(/\b128( > samples\.length)/, "16$1");
    if (!chosen) return shorter;
    return shorter
      // The summary of a group without benchmarks fails.
      .replace("groups.add(o.name);", "")
      .replace(/\bbenchmarks\.push\(\{(?=\s*fn,)/g, `${chosen}(g, name) && (g === null || groups.add(g)) && benchmarks.push({`)
      .replace("collection.trials.push(b)", `${chosen}(collection.name, n) && collection.trials.push(b)`);
  }
  if (!/tinybench\/.*\.js$/.test(url)) return source;
  let shorter = source.replace(/(\bthis\.time\s*=\s*)500\b/, "$150").replace(/(\bthis\.warmupTime\s*=\s*)100\b/, "$120");
  // Ten calls, as the source code may set them, are too short for a profile.
  if (isProfiled) shorter = shorter.replace(/\bthis\.bench\.time\b/g, "Math.max(this.bench.time, 50)");
  if (!chosen) return shorter;
  return shorter.replace(/\badd\((\w+), ?\w+(?:, ?\w+ ?= ?\{\})?\) ?\{/, (start, name) => `${start} if (!${chosen}("", ${name})) return this;`);
};
const hook = (loaded, url) => {
  if (loaded.source == null || !/mitata|tinybench|@vitest\/runner/.test(url)) return loaded;
  return { ...loaded, source: changed(url, String(loaded.source)) };
};
if (node.registerHooks) node.registerHooks({ load: (url, context, next) => hook(next(url, context), url) });
else node.register?.("data:text/javascript," + encodeURIComponent(`const only = ${JSON.stringify(only)}; const isProfiled = ${isProfiled}; const changed = ${changed}; const hook = ${hook};
export const load = async (url, context, next) => hook(await next(url, context), url);`));
