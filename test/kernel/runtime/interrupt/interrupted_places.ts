// Holds the places where a cell may be when it is interrupted, and runs many interrupts at random moments of these
// places. The moments come from a seed, so that a failure can be run again.
import { seededRandom } from "../../../../lib/statistics/seeded_random.ts";
import type { Notebook } from "../../session/notebook.ts";

/** Code that a notebook runs first, so that every place has what it uses. */
export const preparation =
  'import { endless, spin, spinArrow, spinLater, spinWith, Trainer } from "spinner"; let kept = 42; let cleaned = 0;';

export const packageFiles = {
  "node_modules/spinner/package.json": '{ "name": "spinner", "type": "module", "exports": "./index.js" }',
  "node_modules/spinner/index.js": `
    export function spin() { for (let i = 0; ; i++) if (i < 0) break; }
    export function spinWith(callback) { while (true) callback(); }
    export const spinArrow = (n) => { while (true) n = Math.imul(n, 3); };
    const mix = (a, b) => { let x = a; for (let i = 0; i < 50; i++) x = (x * 31 + b) | 0; return x; };
    export class Trainer {
      #weight = 1;
      get weight() { return this.#weight; }
      fit() { "use strict"; for (;;) this.#step(); }
      #step() { this.#weight = mix(this.#weight, 7); }
    }
    export async function spinLater() { await null; for (let x = 1; ; ) x = mix(x, 1); }
    export function* endless() { for (;;); }
  `,
};

interface Place {
  readonly code: string;
  /** False where V8 unwinds the cell from outside, or there is no `finally`. */
  readonly runsFinally: boolean;
}

const guarded = (body: string) => `try { ${body} } finally { cleaned = 1; }`;

/** Cells of a notebook that has `cleaned` and what the package gives. */
export const PLACES: Readonly<Record<string, Place>> = {
  "a loop": { code: guarded("while (true) {}"), runsFinally: true },
  "a loop after an await": {
    code: guarded("await new Promise((resolve) => setTimeout(resolve, 1)); for (;;);"),
    runsFinally: true,
  },
  "a recursion": {
    code: guarded("const grow = (n: number): number => n <= 0 ? 0 : grow(n - 1) + grow(n - 1); grow(60);"),
    runsFinally: true,
  },
  "a pending await": { code: guarded("await new Promise(() => {});"), runsFinally: true },
  "an await inside of functions": {
    code: guarded(
      "const wait = async () => { await new Promise(() => {}); }; await (async () => { await wait(); })();",
    ),
    runsFinally: true,
  },
  "a loop of awaits": {
    code: guarded("while (true) { await new Promise((resolve) => setTimeout(resolve, 1)); }"),
    runsFinally: true,
  },
  "a loop of awaits that never leaves the microtasks": {
    code: guarded("while (true) { await null; }"),
    runsFinally: true,
  },
  "a for await": {
    code: guarded(
      "for await (const never of (async function* () { await new Promise(() => {}); yield 1; })());",
    ),
    runsFinally: true,
  },
  "a loop in a timer": {
    code: `{ const timer = setTimeout(() => { while (true) {} }, 1); ${guarded("await new Promise(() => {});")} clearTimeout(timer); }`.replace(
      "cleaned = 1;",
      "cleaned = 1; clearTimeout(timer);",
    ),
    runsFinally: true,
  },
  "a loop that prints": { code: guarded('while (true) console.log("line");'), runsFinally: true },
  "a pending await beside a busy interval": {
    code: `{ const timer = setInterval(() => { for (let i = 0; i < 1e5; i++); }, 1); ${guarded("await new Promise(() => {});")} }`.replace(
      "cleaned = 1;",
      "cleaned = 1; clearInterval(timer);",
    ),
    runsFinally: true,
  },
  "a package's loop": { code: guarded("spin();"), runsFinally: true },
  "a package's loop, imported by the same cell": {
    code: 'import { spin as spinHere } from "spinner"; spinHere();',
    runsFinally: false,
  },
  "a package's loop that prints": {
    code: guarded("spinWith(console.log.bind(console, 'package'));"),
    runsFinally: true,
  },
  "a package's loop after an await": { code: guarded("await 1; spin();"), runsFinally: true },
  "a package's loop that a cell's timer calls": {
    code: `{ const timer = setTimeout(() => spinArrow(3), 1); ${guarded("await new Promise(() => {});")} }`.replace(
      "cleaned = 1;",
      "cleaned = 1; clearTimeout(timer);",
    ),
    runsFinally: true,
  },
  "a package's loop in a timer": {
    code: `{ const timer = setTimeout(spin, 1); ${guarded("await new Promise(() => {});")} }`.replace(
      "cleaned = 1;",
      "cleaned = 1; clearTimeout(timer);",
    ),
    runsFinally: true,
  },
  "a package's loop of small calls, after an await": {
    code: guarded("await null; new Trainer().fit();"),
    runsFinally: true,
  },
  "a package's async loop of small calls": { code: guarded("await spinLater();"), runsFinally: true },
  "a package's generator, which V8 cannot restart": {
    code: guarded("endless().next();"),
    runsFinally: false,
  },
};

export interface RandomReport {
  readonly interrupts: number;
  /** Cells that ended with anything but the interruption, with what. */
  readonly wrongEnds: string[];
  readonly lostState: string[];
  readonly deaths: string[];
}

export async function randomMoments(
  notebook: Notebook,
  { seed, interrupts }: { readonly seed: number; readonly interrupts: number },
): Promise<RandomReport> {
  const random = seededRandom(seed);
  const places = Object.entries(PLACES);
  const report: RandomReport = { interrupts, wrongEnds: [], lostState: [], deaths: notebook.deaths };
  for (let i = 0; i < interrupts; i++) {
    const [place, { code, runsFinally }] = places[Math.floor(random() * places.length)] as [string, Place];
    // Often at once, so that the interrupt meets the cell before or while it begins.
    const delayMs = random() * (random() < 0.3 ? 1 : 10);
    await notebook.run("cleaned = 0;");
    const { end } = notebook.start(code);
    setTimeout(() => notebook.interrupt(), delayMs);
    const { done } = await end;
    if (done.error?.ename !== "KeyboardInterrupt")
      report.wrongEnds.push(`#${i} ${place} after ${delayMs} ms: ${done.error?.evalue ?? "no error"}`);
    // An interrupt before the `try` leaves 0.
    const { text } = await notebook.run(
      "await new Promise((resolve) => setTimeout(resolve, 1)); [kept, cleaned]",
    );
    const expected = runsFinally ? ["[ 42, 1 ]", "[ 42, 0 ]"] : ["[ 42, 0 ]"];
    if (!expected.includes(String(text)))
      report.lostState.push(`#${i} ${place} after ${delayMs} ms: ${String(text)}`);
  }
  return report;
}
