// A registry of npm on the loopback with what `npm run pack` made: verdaccio, in a folder of its own, installed there when
// a test first asks for it. It takes all other packages from the registry that npm is set to.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";

const root = path.resolve(import.meta.dirname, "../..");
const VERDACCIO = "6.10.4";
const QUIET = ["--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"];

export class LocalRegistry {
  readonly url: string;
  readonly #server: ChildProcess;
  readonly #folder: string;

  private constructor(url: string, server: ChildProcess, folder: string) {
    this.url = url;
    this.#server = server;
    this.#folder = folder;
  }

  static async start(): Promise<LocalRegistry> {
    const program = installVerdaccio();
    const folder = mkdtempSync(path.join(tmpdir(), "mpslab-registry-"));
    const configuration = path.join(folder, "config.yaml");
    const everybody = { access: "$all", publish: "$all" };
    writeFileSync(
      configuration,
      JSON.stringify({
        storage: path.join(folder, "storage"),
        uplinks: {
          registry: { url: execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).trim() },
        },
        packages: {
          // Ours come from here alone: the public registry is not asked for them.
          mpslab: everybody,
          "create-mpslab": everybody,
          "@mpslab/*": everybody,
          "**": { access: "$all", proxy: "registry" },
        },
        log: { type: "stdout", level: "warn" },
      }),
    );
    const port = await freePort();
    const server = spawn(
      process.execPath,
      [program, "--config", configuration, "--listen", `127.0.0.1:${port}`],
      {
        stdio: "ignore",
      },
    );
    const registry = new LocalRegistry(`http://127.0.0.1:${port}/`, server, folder);
    await registry.#untilReady();
    return registry;
  }

  async #untilReady(): Promise<void> {
    while (this.#server.exitCode === null) {
      const answer = await fetch(`${this.url}-/ping`).catch(() => null);
      if (answer?.ok) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error(`verdaccio ended at its start with ${this.#server.exitCode}`);
  }

  /** Publishes a packed file, as a maintainer would. */
  publish(file: string): void {
    const npmrc = path.join(this.#folder, "npmrc");
    // npm wants a token; this registry lets everybody publish.
    writeFileSync(npmrc, `registry=${this.url}\n${this.url.replace("http:", "")}:_authToken=anybody\n`);
    execFileSync("npm", ["publish", file, "--userconfig", npmrc, "--ignore-scripts", "--loglevel=error"]);
  }

  stop(): void {
    this.#server.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function installVerdaccio(): string {
  const folder = path.join(root, "build", "verdaccio", VERDACCIO);
  const program = path.join(folder, "node_modules", "verdaccio", "bin", "verdaccio");
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  // One of its packages asks for a tag of node-fetch, which not every registry passes on.
  const manifest = {
    private: true,
    dependencies: { verdaccio: VERDACCIO },
    overrides: { "node-fetch": "2.7.0" },
  };
  writeFileSync(path.join(folder, "package.json"), JSON.stringify(manifest));
  execFileSync("npm", ["install", "--prefix", folder, "--ignore-scripts", ...QUIET]);
  return program;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
