// A Ray cluster as one sweep sees it: points go in as requests, and answers come back from whichever node ran them. If
// a node is lost, its point is handed over again; if a node refuses a point, it goes to another one. ray_driver.py, a
// separate process, talks to Ray, and cancels running points when this process ends.
import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";
import { createInterface } from "node:readline";
import { INSTALLER, PACKAGE_ROOT, pythonPrefix } from "../../installation/package.ts";
import { PointLostError, RayError } from "./errors.ts";
import {
  type DriverLine,
  nodeName,
  type PointAnswer,
  type PointRequest,
  type RanPoint,
  type RayNode,
} from "./point_messages.ts";
import { rayPython } from "./python.ts";

const DRIVER = path.join(PACKAGE_ROOT, "lib", "lab", "ray", "ray_driver.py");
/**
 * The command-line program that nodes run. In a wheel it is the wheel's launcher, which starts the Node and the
 * libtorch of the wheel's environment.
 */
const CLI =
  INSTALLER === "pip"
    ? path.join(pythonPrefix(), "bin", "mpslab")
    : path.join(PACKAGE_ROOT, "dist", "kernel", "cli.js");
/** After this many nodes were lost while they ran a point, the point is not handed to another one. */
const MAX_LOST = 2;

export interface ClusterOptions {
  /** `ray://host:port`, or `ray` for the cluster of this machine. */
  readonly engine: string;
  /** Cores that Ray reserves for one point. */
  readonly numCpus: number;
  /** GPUs that Ray reserves for one point. */
  readonly numGpus: number;
}

export interface ClusterEvents {
  /** A node refuses to run points; they go to the others. */
  refused?(node: RayNode, why: string): void;
  /** A point is handed over again, because its node or its worker is gone. Null if Ray does not tell the node. */
  lost?(node: RayNode | null, why: string): void;
}

interface Waiting {
  readonly request: string;
  /** The nodes that were lost while they ran it. */
  readonly lostOn: string[];
  resolve(answered: { readonly node: RayNode; readonly ran: RanPoint }): void;
  reject(reason: Error): void;
}

export class RayCluster {
  readonly #driver: ChildProcess;
  readonly #events: ClusterEvents;
  readonly #waiting = new Map<number, Waiting>();
  readonly #refusing = new Set<string>();
  readonly #exited: Promise<void>;
  /** @throws RayError if there is no cluster, or no node with the resources */
  readonly connected: Promise<void>;
  #ended: Error | null = null;
  #requests = 0;

  private constructor(python: string, { engine, ...resources }: ClusterOptions, events: ClusterEvents) {
    this.#events = events;
    // The driver is in a process group of its own, because a terminal's Ctrl-C must reach this process only, which has
    // the driver cancel what runs.
    this.#driver = spawn(python, [DRIVER], { detached: true, stdio: ["pipe", "pipe", "ignore"] });
    this.#exited = new Promise((resolve) => this.#driver.once("close", () => resolve()));
    // An error of the pipe means that the driver has ended, which its exit reports.
    this.#driver.stdin!.on("error", () => {});
    const lines = createInterface({ input: this.#driver.stdout! });
    this.connected = new Promise((resolve, reject) => {
      lines.on("line", (text) => {
        const line = JSON.parse(text) as DriverLine;
        if (line.type === "connected") resolve();
        else this.#take(line);
        if (this.#ended !== null) reject(this.#ended);
      });
      this.#driver.once("error", ({ message }) => {
        this.#end(`its driver cannot be started (${message})`);
        reject(this.#ended!);
      });
      this.#driver.once("close", (code, signal) => {
        this.#end(`its driver ended (${signal ?? `status ${code}`})`);
        reject(this.#ended!);
      });
    });
    // Nobody may be waiting for the promise when it is rejected.
    this.connected.catch(() => {});
    this.#send({ address: engine === "ray" ? "auto" : engine, cli: CLI, ...resources });
  }

  /** @throws RayError if no Python with Ray is found */
  static start(options: ClusterOptions, events: ClusterEvents = {}): RayCluster {
    return new RayCluster(rayPython(), options, events);
  }

  /**
   * @throws PointLostError if nodes were lost with it, RayError if no node can take it or the cluster is gone
   */
  run(request: PointRequest): Promise<{ readonly node: RayNode; readonly ran: RanPoint }> {
    return new Promise((resolve, reject) => {
      if (this.#ended !== null) return reject(this.#ended);
      this.#handOver({ request: JSON.stringify(request), lostOn: [], resolve, reject });
    });
  }

  /** Hands no more points to the node. */
  avoid(node: RayNode, why: string): void {
    if (this.#refusing.has(node.id)) return;
    this.#refusing.add(node.id);
    this.#send({ avoid: node.id, why });
    this.#events.refused?.(node, why);
  }

  /** Cancels running points; points without an answer fail. Never throws, and settles within seconds. */
  async close(): Promise<void> {
    this.#end("the sweep ended");
    this.#driver.stdin!.end();
    await this.#exited;
  }

  #send(line: object): void {
    this.#driver.stdin!.write(`${JSON.stringify(line)}\n`);
  }

  #handOver(point: Waiting): void {
    const id = ++this.#requests;
    this.#waiting.set(id, point);
    this.#send({ id, request: point.request });
  }

  #take(line: Exclude<DriverLine, { readonly type: "connected" }>): void {
    if (line.type === "ended") return this.#end(line.message);
    const point = this.#waiting.get(line.id);
    this.#waiting.delete(line.id);
    if (point === undefined) return;
    if (line.type === "lost") return this.#lose(point, line);
    const answer = answerOf(line);
    if (!("refused" in answer)) return point.resolve({ node: line.node, ran: answer });
    this.avoid(line.node, answer.refused);
    this.#handOver(point);
  }

  #lose(point: Waiting, { node, message }: DriverLine & { readonly type: "lost" }): void {
    point.lostOn.push(node === null ? "a node" : nodeName(node));
    if (point.lostOn.length >= MAX_LOST) return point.reject(new PointLostError(point.lostOn, message));
    this.#events.lost?.(node, message);
    this.#handOver(point);
  }

  #end(why: string): void {
    this.#ended ??= new RayError(`Ray takes no points: ${why.replace(/[.?]+$/, "")}.`);
    for (const { reject } of this.#waiting.values()) reject(this.#ended);
    this.#waiting.clear();
  }
}

function answerOf({ answer, refused }: DriverLine & { readonly type: "answered" }): PointAnswer {
  if (refused !== undefined) return { refused };
  // The answer is the last line, because a kernel's native code may print before it.
  const last = answer?.trim().split("\n").at(-1) ?? "";
  try {
    return JSON.parse(last) as PointAnswer;
  } catch {
    return { refused: "its mpslab gave no answer: run mpslab doctor there" };
  }
}
