// Asks the drawing thread for a PNG. The thread starts with the first picture (or with `warmUp`). It ends after a while
// without requests, because its libraries hold 40 MB.
import { Worker } from "node:worker_threads";
import { bundledProgram } from "../installation/package.ts";

export interface Picture {
  readonly png: Uint8Array;
  /** The size in which the picture is shown; the picture itself has more pixels. */
  readonly width: number;
  readonly height: number;
  /** Vega-Lite's warnings about the specification. */
  readonly warnings: readonly string[];
}

export interface RenderRequest {
  readonly id: number;
  readonly specification: unknown;
  /** The scale of a PNG; null for SVG. */
  readonly pixelsPerUnit: number | null;
  /** Whether the specification may name files and addresses from which data and pictures are loaded. */
  readonly loads: boolean;
}

export type RenderReply = { readonly id: number } & (
  | Picture
  | { readonly svg: string }
  | { readonly error: string }
);

/** Two pixels for each one shown, so that the picture is sharp on dense screens. */
const PIXELS_PER_UNIT = 2;
/**
 * A picture takes 60 ms, the first one 300 ms, and finding what is wrong in a specification a second or two. A busy
 * machine takes many times as long. After this time no answer is to be expected.
 */
const DEADLINE_MS = 120_000;
const IDLE_MS = 30_000;
/** A small young generation for the thread: it costs no time and saves 30 MB. */
const YOUNG_GENERATION_MB = 4;

interface Waiting {
  settle(reply: RenderReply | Error): void;
}

let worker: Worker | null = null;
let idle: NodeJS.Timeout | undefined;
let count = 0;
const waiting = new Map<number, Waiting>();

/** Starts the thread if there is none, so that the first picture need not wait for it. */
export function warmUp(): void {
  thread();
}

/** @throws TypeError for a specification that cannot be drawn, Error where the picture does not come in time */
export async function renderPng(specification: unknown): Promise<Picture> {
  return (await render(specification, PIXELS_PER_UNIT)) as Picture;
}

/** @throws as `renderPng` does */
export async function renderSvg(specification: unknown): Promise<string> {
  return ((await render(specification, null)) as { readonly svg: string }).svg;
}

function render(specification: unknown, pixelsPerUnit: number | null): Promise<RenderReply> {
  const id = ++count;
  const { promise, resolve, reject } = deferred<RenderReply>();
  const deadline = setTimeout(() => {
    settle(new Error(`the chart was not drawn within ${DEADLINE_MS / 1000} seconds`));
  }, DEADLINE_MS);

  function settle(reply: RenderReply | Error): void {
    clearTimeout(deadline);
    waiting.delete(id);
    if (reply instanceof Error) reject(reply);
    else if ("error" in reply) reject(new TypeError(`the chart could not be drawn: ${reply.error}`));
    else resolve(reply);
    if (waiting.size === 0) rest();
  }

  waiting.set(id, { settle });
  const request: RenderRequest = { id, specification, pixelsPerUnit, loads: true };
  thread().postMessage(request);
  return promise;
}

function thread(): Worker {
  clearTimeout(idle);
  if (worker === null) {
    const started = new Worker(bundledProgram("lib/charts/render_worker.js"), {
      execArgv: [],
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    started.on("message", (reply: RenderReply) => waiting.get(reply.id)?.settle(reply));
    started.on("error", (error) => lost(started, error));
    started.on("exit", () => lost(started, new Error("the drawing thread ended")));
    worker = started;
  }
  // A picture on its way keeps a plain program alive; a thread that waits for work does not.
  worker.ref();
  if (waiting.size === 0) rest();
  return worker;
}

function rest(): void {
  worker?.unref();
  clearTimeout(idle);
  idle = setTimeout(() => {
    if (waiting.size > 0) return;
    void worker?.terminate();
    worker = null;
  }, IDLE_MS).unref();
}

function lost(ended: Worker, reason: Error): void {
  if (worker === ended) worker = null;
  if (worker !== null) return;
  for (const { settle } of waiting.values()) settle(reason);
}

function deferred<Value>(): {
  promise: Promise<Value>;
  resolve: (value: Value) => void;
  reject: (error: Error) => void;
} {
  let resolve!: (value: Value) => void;
  let reject!: (error: Error) => void;
  const promise = new Promise<Value>((onValue, onError) => ([resolve, reject] = [onValue, onError]));
  return { promise, resolve, reject };
}
