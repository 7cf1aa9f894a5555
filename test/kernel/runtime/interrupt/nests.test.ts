// One Stop ends a cell however it is nested, although everything in it catches and tries again. Variables stay, and nothing of
// it prints afterwards, packages' helpers included.
import { afterAll, beforeAll, expect, it } from "vitest";
import { Notebook } from "../../session/notebook.ts";
import { nestPreparation, persistentPackage, randomNest } from "./random_nests.ts";

const FIRST_SEED = 20_261_128;
const NESTS = 60;

let notebook: Notebook;
beforeAll(async () => {
  notebook = new Notebook(persistentPackage, { interruptDeadlineMs: 60_000 });
  await notebook.run(nestPreparation);
});
afterAll(() => notebook.close());

it(`one Stop ends each of ${NESTS} random nests for good`, async () => {
  const wrong: string[] = [];
  for (let seed = FIRST_SEED; seed < FIRST_SEED + NESTS; seed++) {
    const { cell, end } = notebook.start(randomNest(seed));
    await notebook.message((message) => message.type === "stream" && message.cell === cell);
    await new Promise((resolve) => setTimeout(resolve, seed % 7));
    notebook.interrupt();
    const run = await end;
    const atEnd = notebook.collect(cell);
    // Longer than every pause of a nest: what goes on would print.
    const { text } = await notebook.run("await pause(20); kept");
    const later = notebook.collect(cell);
    const seen = {
      ename: run.done.error?.ename,
      text,
      printed: later.stdout.slice(atEnd.stdout.length),
      errors: later.lateErrors.slice(atEnd.lateErrors.length).map(({ ename }) => ename),
    };
    const meant = { ename: "KeyboardInterrupt", text: "42", printed: "", errors: [] };
    if (JSON.stringify(seen) !== JSON.stringify(meant))
      wrong.push(`seed ${seed}: ${JSON.stringify(seen)}\n${randomNest(seed)}`);
  }
  expect(wrong).toEqual([]);
  expect(notebook.deaths).toEqual([]);
});

it("an await that was pending when other code of the cell was stopped does not go on", async () => {
  const { cell, end } = notebook.start(
    'void (async () => { await pause(30); console.log("went on"); })(); console.log("begun"); for (;;);',
  );
  await notebook.message((message) => message.type === "stream" && message.cell === cell);
  notebook.interrupt();
  expect((await end).done.error?.ename).toBe("KeyboardInterrupt");
  await notebook.run("await pause(60);");
  expect(notebook.collect(cell).stdout).toBe("begun\n");
});
