// Starts a Ray cluster of several nodes on this machine, from an environment of its own.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface, type Interface } from "node:readline";

const PROGRAM = path.join(import.meta.dirname, "ray_cluster.py");
const ANSWER = "answer: ";

export class RayNodes {
  readonly #process: ChildProcess;
  readonly #lines: Interface;
  /** `host:port`, as `RAY_ADDRESS` has it. */
  address = "";
  /** `ray://host:port` */
  clientAddress = "";

  private constructor(python: string) {
    // Ray gives what tasks run 15 steps less priority: beside other tests that is none.
    const env = { ...process.env, RAY_worker_niceness: "0" };
    this.#process = spawn(python, [PROGRAM], { env, stdio: ["pipe", "pipe", "ignore"] });
    this.#lines = createInterface({ input: this.#process.stdout! });
  }

  static async start(python: string): Promise<RayNodes> {
    const cluster = new RayNodes(python);
    [cluster.address, cluster.clientAddress] = (await cluster.#line()).split(" ") as [string, string];
    return cluster;
  }

  /** Resolves with the node's name, as sweeps print it. @param searchPath `PATH` of what runs there, if another one */
  add(searchPath = ""): Promise<string> {
    this.#process.stdin!.write(`add ${searchPath}\n`);
    return this.#line();
  }

  /** Kills a node with all that Ray runs there. */
  async kill(node: string): Promise<void> {
    this.#process.stdin!.write(`kill ${node}\n`);
    await this.#line();
  }

  async stop(): Promise<void> {
    this.#process.stdin!.end();
    await once(this.#process, "exit");
  }

  /** The next answer. Ray prints among them. */
  async #line(): Promise<string> {
    const ended = once(this.#process, "exit").then(() => Promise.reject(new Error("the Ray cluster ended")));
    ended.catch(() => {});
    for (;;) {
      const [line] = (await Promise.race([once(this.#lines, "line"), ended])) as [string];
      if (line.startsWith(ANSWER)) return line.slice(ANSWER.length);
    }
  }
}
