// Draws specifications that others wrote, one after the other, in a separate process. The process loads no file and no
// address, and is killed if a drawing takes too much memory or time. A thread would not do: if a thread allocates an
// array for which there is no memory, V8 ends the whole process.
import { type ChildProcess, fork } from "node:child_process";
import { bundledProgram } from "../installation/package.ts";
import { processUsages } from "../platform/processes.ts";
import { formatBytes } from "../units.ts";
import type { RenderReply, RenderRequest } from "./render.ts";

/** What one drawing may take. A chart of ten thousand points takes 150 MB and two seconds. */
export interface RenderLimits {
  readonly seconds: number;
  readonly bytes: number;
  /** After this many specifications over the limits, no more are drawn. */
  readonly exceeding: number;
}

const LIMITS: RenderLimits = { seconds: 60, bytes: 1.5 * 2 ** 30, exceeding: 3 };
const LOOK_MS = 100;

export class ApartRenderer {
  readonly #limits: RenderLimits;
  #process: ChildProcess | null = null;
  #count = 0;
  #exceeded = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(limits: RenderLimits = LIMITS) {
    this.#limits = limits;
  }

  /**
   * The picture as SVG.
   *
   * @throws Error that says why it was not drawn
   */
  svgOf(specification: unknown): Promise<string> {
    const drawn = this.#last.then(() => this.#draw(specification));
    this.#last = drawn.catch(() => {});
    return drawn;
  }

  async #draw(specification: unknown): Promise<string> {
    const { seconds, bytes, exceeding } = this.#limits;
    if (this.#exceeded >= exceeding)
      throw new Error(`${exceeding} charts before it took more memory or time than they may`);
    const child = (this.#process ??= this.#start());
    let stopLooking = (): void => {};
    const replied = new Promise<RenderReply>((resolve, reject) => {
      const end = (reason: string): void => {
        this.#exceeded += 1;
        this.#process = null;
        child.kill("SIGKILL");
        reject(new Error(reason));
      };
      const exited = (): void => end("the process that drew it ended, as too little memory ends one");
      const deadline = setTimeout(() => end(`it takes more than ${seconds} s`), seconds * 1000);
      const look = setInterval(async () => {
        const [usage] = await processUsages([child.pid!]);
        if ((usage?.residentBytes ?? 0) > bytes) end(`it takes more than ${formatBytes(bytes)} of memory`);
      }, LOOK_MS);
      child.on("message", resolve as (message: unknown) => void);
      child.once("exit", exited);
      stopLooking = () => {
        clearTimeout(deadline);
        clearInterval(look);
        child.removeAllListeners("message");
        child.off("exit", exited);
      };
    });
    keepAlive(child, true);
    try {
      const request: RenderRequest = { id: ++this.#count, specification, pixelsPerUnit: null, loads: false };
      child.send(request);
      const reply = await replied;
      if ("svg" in reply) return reply.svg;
      throw new Error("error" in reply ? reply.error : "it has no SVG");
    } finally {
      stopLooking();
      keepAlive(child, false);
    }
  }

  #start(): ChildProcess {
    const heapMb = Math.round(this.#limits.bytes / 2 ** 21);
    return fork(bundledProgram("lib/charts/render_worker.js"), {
      execArgv: [`--max-old-space-size=${heapMb}`],
      serialization: "advanced",
      // Output is discarded, because V8 prints a page of addresses when memory runs out.
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
  }
}

/** Sets whether the process keeps this program from ending. */
function keepAlive(child: ChildProcess, keeps: boolean): void {
  for (const held of [child, child.channel]) held?.[keeps ? "ref" : "unref"]();
}
