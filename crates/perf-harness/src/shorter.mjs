// Loads mitata and tinybench with shorter default times, which no option of theirs sets.
import * as node from "node:module";
const shorter = (url, source) => {
  if (/mitata\/.*\.m?js$/.test(url)) {
    return String(source).replace(/(\bk_min_cpu_time\s*=\s*)[\d_]+\s*\*\s*1e6/, "$150e6");
  }
  if (!/tinybench\/.*\.m?js$/.test(url)) return source;
  return String(source).replace(/(\bthis\.time\s*=\s*)500\b/, "$150").replace(/(\bthis\.warmupTime\s*=\s*)100\b/, "$120");
};
const hook = (loaded, url) => (loaded.source == null || !/mitata|tinybench/.test(url) ? loaded : { ...loaded, source: shorter(url, loaded.source) });
if (node.registerHooks) node.registerHooks({ load: (url, context, next) => hook(next(url, context), url) });
else node.register?.("data:text/javascript," + encodeURIComponent(`const shorter = ${shorter}; const hook = ${hook};
export const load = async (url, context, next) => hook(await next(url, context), url);`));
