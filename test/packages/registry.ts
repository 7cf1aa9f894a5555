// A registry for npm on this machine, with packages published to it as to the real one. What it does not have it asks of the
// registry that npm is configured for. verdaccio is installed for these tests only, into build/; 6.7.4 is the last that runs
// under Node 20. One of its plugins asks for node-fetch by a tag that not every mirror has, so a version is named for it.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import path from "node:path";

const root = path.resolve(import.meta.dirname, "../..");
const installed = path.join(root, "build", "registry");

export interface Registry {
  readonly url: string;
  /** Resolves when its process has ended. */
  stop(): Promise<void>;
}

/** @param folder for what is published and what is passed on */
export async function startRegistry(folder: string): Promise<Registry> {
  installVerdaccio();
  const upstream = execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).trim();
  const everybody = { access: "$all", publish: "$all" };
  const configuration = {
    storage: path.join(folder, "storage"),
    // What it has learnt of a package is asked for once: each of these tests would ask again after two minutes.
    uplinks: { upstream: { url: upstream, timeout: "300s", maxage: "1h" } },
    packages: {
      mpslab: everybody,
      "create-mpslab": everybody,
      "@mpslab/*": everybody,
      "**": { access: "$all", proxy: "upstream" },
    },
    max_body_size: "100mb",
    web: { enable: false },
    log: { type: "stdout", format: "json", level: "error" },
  };
  mkdirSync(folder, { recursive: true });
  // YAML reads JSON.
  const file = path.join(folder, "verdaccio.yaml");
  writeFileSync(file, JSON.stringify(configuration));
  const url = `http://127.0.0.1:${await freePort()}/`;
  const program = path.join(installed, "node_modules", "verdaccio", "bin", "verdaccio");
  const server = spawn(process.execPath, [program, "--config", file, "--listen", url], { stdio: "ignore" });
  const ended = new Promise<void>((resolve) => server.once("exit", () => resolve()));
  await untilAnswers(`${url}-/ping`, ended);
  return {
    url,
    async stop() {
      server.kill();
      await ended;
    },
  };
}

function installVerdaccio(): void {
  if (existsSync(path.join(installed, "node_modules", "verdaccio"))) return;
  mkdirSync(installed, { recursive: true });
  for (const file of ["package.json", "package-lock.json"])
    cpSync(path.join(import.meta.dirname, "registry", file), path.join(installed, file));
  const { status, stderr } = spawnSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], {
    cwd: installed,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`verdaccio could not be installed: ${stderr}`);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function untilAnswers(url: string, ended: Promise<void>): Promise<void> {
  let hasEnded = false;
  void ended.then(() => (hasEnded = true));
  for (;;) {
    const answer = await fetch(url).catch(() => null);
    if (answer?.ok) return;
    if (hasEnded) throw new Error("verdaccio ended at its start");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
