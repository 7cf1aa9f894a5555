// A real Jupyter server of `.venv` on the loopback, at a port that the system chooses, in a folder of its own. Knows what
// kernels it runs, so that a test can look for orphans.
import { type ChildProcess, spawn } from "node:child_process";
import { venvProgram } from "../../kernel/cli/project.ts";
import { JupyterTools } from "./jupyter_tools.ts";

export interface ServerOptions {
  readonly token: string;
  /** Whether it knows our kernel; true unless given. */
  readonly kernelspec?: boolean;
  readonly environment?: NodeJS.ProcessEnv;
  /** Files of its certificate and key: it speaks https then. */
  readonly tls?: { readonly certificate: string; readonly key: string };
}

export class JupyterServer {
  readonly tools: JupyterTools;
  readonly url: string;
  readonly token: string;
  readonly #process: ChildProcess;
  readonly #log: () => string;

  private constructor(
    tools: JupyterTools,
    url: string,
    token: string,
    process: ChildProcess,
    log: () => string,
  ) {
    this.tools = tools;
    this.url = url;
    this.token = token;
    this.#process = process;
    this.#log = log;
  }

  static async start({
    token,
    kernelspec = true,
    environment = {},
    tls,
  }: ServerOptions): Promise<JupyterServer> {
    const tools = new JupyterTools();
    const args = ["--no-browser", "--port=0", `--IdentityProvider.token=${token}`, "--allow-root"];
    // The project's Python environment has ours too.
    if (!kernelspec) args.push("--KernelSpecManager.allowed_kernelspecs=python3");
    if (tls) args.push(`--ServerApp.certfile=${tls.certificate}`, `--ServerApp.keyfile=${tls.key}`);
    const server = spawn(venvProgram("jupyter-server"), args, {
      cwd: tools.directory,
      env: { ...tools.environment, ...environment },
      // Killing the server also kills its kernels, as a machine that goes down does.
      detached: true,
    });
    let log = "";
    const url = await new Promise<string>((resolve, reject) => {
      server.stderr.on("data", (text) => {
        log += text;
        const found = /(https?):\/\/(?:localhost|127\.0\.0\.1):(\d+)\//.exec(log);
        if (found) resolve(`${found[1]}://127.0.0.1:${found[2]}/`);
      });
      server.once("exit", () => reject(new Error(log)));
    });
    return new JupyterServer(tools, url, token, server, () => log);
  }

  /** The server's log so far, with its requests. */
  get log(): string {
    return this.#log();
  }

  async kernels(): Promise<{ readonly id: string }[]> {
    return (await (await this.#ask("GET", "api/kernels")).json()) as { id: string }[];
  }

  async shutDown(kernel: string): Promise<void> {
    await this.#ask("DELETE", `api/kernels/${kernel}`);
  }

  /** Ends the server as a power failure does. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  async stop(): Promise<void> {
    await this.#end("SIGTERM");
    this.tools.remove();
  }

  #ask(method: string, path: string): Promise<Response> {
    return fetch(`${this.url}${path}`, { method, headers: { Authorization: `token ${this.token}` } });
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const gone = new Promise((resolve) => this.#process.once("exit", resolve));
    if (signal === "SIGKILL") process.kill(-(this.#process.pid as number), signal);
    else this.#process.kill(signal);
    await gone;
  }
}
