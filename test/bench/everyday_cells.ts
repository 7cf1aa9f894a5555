// Cells as people write and time them, in a kernel that has just started and in one that runs: the first cell of all, a
// name, a class with an interface and a generic function, an import, and a notebook that is run from its top.
import { setTimeout as delay } from "node:timers/promises";
import { measureKernel, type PeerKernel } from "./peer_kernels.ts";
import { summarize, takeTurns, type Figures } from "./rounds.ts";
import { markdownTable, ratio, verdict } from "./table.ts";

const FIRST = "start to the end of the first cell, ms";
const NAME = "a cell that declares a name, ms";
const CLASS = "a class, an interface and a generic function, ms";
const LOOP = "a loop that fills a list and prints, ms";
const QUEUED_CELLS = 200;
const QUEUED = `${QUEUED_CELLS} queued cells, ms`;

/** `i` makes each one new, as in a notebook, and not a cell that runs again. */
const CELLS = {
  typescript: {
    first: "const answer = 6 * 7;\nanswer",
    name: (i: number) => `const value${i} = ${i} * 2;`,
    class: (i: number) => `interface Shape${i} { area(): number }
class Square${i} implements Shape${i} {
  constructor(readonly side: number) {}
  area(): number { return this.side ** 2; }
}
function largest${i}<T extends Shape${i}>(shapes: T[]): T {
  return shapes.reduce((a, b) => (a.area() > b.area() ? a : b));
}
largest${i}([new Square${i}(2), new Square${i}(${i})]).area()`,
    loop: (i: number) => `const squares${i}: number[] = [];
for (let n = 0; n < 100; n++) squares${i}.push(n ** 2 + ${i});
console.log(squares${i}.length, squares${i}.at(-1));`,
  },
  python: {
    first: "answer = 6 * 7\nanswer",
    name: (i: number) => `value${i} = ${i} * 2`,
    class: (i: number) => `from typing import Protocol, TypeVar
class Shape${i}(Protocol):
    def area(self) -> float: ...
class Square${i}:
    def __init__(self, side: float) -> None:
        self.side = side
    def area(self) -> float:
        return self.side ** 2
T = TypeVar("T", bound=Shape${i})
def largest${i}(shapes: list[T]) -> T:
    return max(shapes, key=lambda shape: shape.area())
largest${i}([Square${i}(2), Square${i}(${i})]).area()`,
    loop: (i: number) => `squares${i} = []
for n in range(100):
    squares${i}.append(n ** 2 + ${i})
print(len(squares${i}), squares${i}[-1])`,
  },
} as const;

const TRIAL_MS = 60_000;
const WARM_UP = 10;
const TIMES = 30;

const trial = (kernel: PeerKernel): Promise<Figures> =>
  measureKernel(kernel, TRIAL_MS, async ({ client, startMs }, found) => {
    const cells = CELLS[kernel.language];
    const execute = async (code: string): Promise<number> => {
      const start = performance.now();
      const { reply } = await client.execute(code);
      if (reply["status"] !== "ok") throw new Error(`${kernel.name}: ${String(reply["evalue"])}`);
      return performance.now() - start;
    };
    found[FIRST] = startMs + (await execute(cells.first));
    await delay(2000);
    let next = 0;
    const medianOf = async (cell: (i: number) => string): Promise<number> => {
      const taken: number[] = [];
      for (let i = 0; i < WARM_UP + TIMES; i++) taken.push(await execute(cell(next++)));
      return summarize(taken.slice(WARM_UP)).median;
    };
    found[NAME] = await medianOf(cells.name);
    found[CLASS] = await medianOf(cells.class);
    found[LOOP] = await medianOf(cells.loop);
    const start = performance.now();
    await Promise.all(Array.from({ length: QUEUED_CELLS }, () => execute(cells.name(next++))));
    found[QUEUED] = performance.now() - start;
  });

export async function everydayCells(peers: readonly PeerKernel[]): Promise<string> {
  const results = await takeTurns(
    peers.map((kernel) => ({ name: kernel.name, trial: () => trial(kernel) })),
    5,
  );
  return [
    markdownTable(results, "cells as people time them"),
    "",
    ...[FIRST, NAME, CLASS, LOOP, QUEUED].map((row) =>
      verdict(
        `${row.replace(/, ms$/, "")}, against ipykernel`,
        ratio(results, row, "mpslab", "ipykernel"),
        1,
      ),
    ),
  ].join("\n");
}
