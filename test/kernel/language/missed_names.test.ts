// Tests that an error about a name leads back to the cell that would have made it.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { NotebookSession } from "./notebook_session.ts";

let notebook: NotebookSession;
beforeEach(() => (notebook = new NotebookSession()));
afterEach(() => notebook.close());

describe("a name is missing", () => {
  test.each([
    ['import { torch } from "mpslab"; const n: number = "x";', "torch", "imports"],
    ['import mpslab, { nn as layers } from "mpslab"; wrong', "layers", "imports"],
    ['import * as fs from "node:fs"; wrong', "fs", "imports"],
    ['import "a"; const { rate } = wrong;', "rate", "declares"],
    ["let = = 3;\nexport async function fit() {}", "fit", "declares"],
  ])("because its cell did not run: %s", async (cell, name, verb) => {
    notebook.service.cellDidNotRun(1, cell);
    expect(await notebook.problems(`${name};`)).toEqual([
      `1:1 TS2304: Cannot find name '${name}': Cell [1], which ${verb} it, did not run.`,
    ]);
  });

  test("because its cell failed, where a type or a shorthand asks for it, too", async () => {
    await notebook.run("class Net {} const y = 1;", ["Net", "y"]);
    expect(await notebook.problems("let net: Net;")).toEqual([
      "1:10 TS2304: Cannot find name 'Net': Cell [1], which declares it, failed before it got there.",
    ]);
    expect(await notebook.problems("({ y });")).toEqual([
      "1:4 TS18004: Cannot find name 'y': Cell [1], which declares it, failed before it got there.",
    ]);
  });

  test("because its session has ended", async () => {
    notebook.service.namesLost([{ name: "model", count: 3, isImport: false }]);
    expect(await notebook.problems("model;")).toEqual([
      "1:1 TS2304: Cannot find name 'model': Cell [3], which declares it, ran in a session that has ended: run it again.",
    ]);
  });
});

test("a name that a block of an earlier cell has for itself leads to that block", async () => {
  await notebook.run("for (const step of [1, 2]) { const { loss } = { loss: step }; }", []);
  expect(await notebook.problems("loss;")).toEqual([
    "1:1 TS2304: Cannot find name 'loss': Cell [1] declares it inside a block, where it ends: declare it above the block.",
  ]);
  await notebook.run("let loss = 1; { const loss = 2; }");
  expect(await notebook.problems("loss; steps;")).toEqual(["1:7 TS2304: Cannot find name 'steps'."]);
});

test("a name that a later cell made is missed no more, and one that there was is not missed at all", async () => {
  notebook.service.cellDidNotRun(1, "const n = wrong;");
  await notebook.run("const n = 1;");
  expect(await notebook.problems("n + 1;")).toEqual([]);
  await notebook.run("const m = 1, n = 2;", ["n"]);
  expect(await notebook.problems("n + m;")).toEqual([]);
});
