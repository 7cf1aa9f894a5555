// Runs a program over `dist/` in a process of its own, where loaders have workers: Node starts threads from built files
// alone, and there the library's modules are loaded once.
import { execFileSync } from "node:child_process";
import { HANG_MS } from "../../../helpers/hang.ts";

const at = (path: string) => new URL(`../../../../${path}`, import.meta.url).href;

/**
 * Runs a module's body that sees `data`, `torch`, `failure(call)` and `make(options)`, the dataset of
 * `test/fixtures/datasets/`; what it returns.
 */
export function runWithDataset(
  dataset: string,
  body: string,
  environment: Readonly<Record<string, string>> = {},
): unknown {
  const program = `
    import { data, torch } from ${JSON.stringify(at("dist/bundle/lib/index.js"))};
    const make = (options) => data.workerDataset(new URL(${JSON.stringify(at(`test/fixtures/datasets/${dataset}`))}), options);
    const failure = (call) => { try { call(); } catch (error) { return error; } };
    const result = await (async () => { ${body} })();
    process.stdout.write("\\n" + JSON.stringify(result));`;
  const output = execFileSync(process.execPath, ["--input-type=module", "-e", program], {
    encoding: "utf8",
    env: { ...process.env, ...environment },
    timeout: HANG_MS,
  });
  return JSON.parse(output.slice(output.lastIndexOf("\n")));
}
