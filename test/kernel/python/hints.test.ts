// Python in a cell of TypeScript: the error says what to write.
import { describe, expect, it } from "vitest";
import { hintAtSyntaxError, hintAtUnknownName } from "../../../kernel/python/hints.ts";

describe("a line that is Python and no TypeScript", () => {
  it.each([
    ["import torch", 'write import { torch } from "mpslab"'],
    ["import torch.nn as nn", 'write import { nn } from "mpslab"'],
    ["import torch.nn.functional as F", 'write import { functional as F } from "mpslab"'],
    ["import torch.optim as optim", 'write import { optim } from "mpslab"'],
    ["from mpslab import torch", 'write import { torch } from "mpslab"'],
    ["from torch.amp import autocast", 'write import { amp } from "mpslab", and amp.autocast for autocast'],
    [
      "from torch.nn import Linear, ReLU",
      'write import { nn } from "mpslab", and nn.Linear for Linear, nn.ReLU for ReLU',
    ],
    [
      "from torch.utils.data import DataLoader",
      'write import { data } from "mpslab", and data.DataLoader for DataLoader',
    ],
    [
      "import numpy as np",
      "there is no numpy here: torch.tensor takes lists, and operators of torch do the rest",
    ],
    ["import gc", "gc is Python's own; %%python above a cell turns its calls into TypeScript"],
    ["def forward(self, x):", "write function forward(self, x) { ... }"],
    ["class Net(nn.Module):", "write class Net extends nn.Module { ... }"],
    ["for epoch in range(epochs):", "write for (let epoch = 0; epoch < epochs; epoch++) { ... }"],
    ["for images, labels in loader:", "write for (const [images, labels] of loader) { ... }"],
    ["for i, (x, y) in enumerate(loader):", "write let i = -1 for (const [x, y] of loader) { ... } i++"],
    ["with torch.no_grad():", "write torch.noGrad(() => { ... })"],
    ["if loss < best:", "write if (loss < best) { ... }"],
    ['print(f"epoch {epoch}: {loss:.4f}")', "write console.log(`epoch ${epoch}: ${loss.toFixed(4)}`)"],
    ["y = x[1:3, 0]", "write let y = x.at(torch.slice(1, 3), 0)"],
    ["y = x @ weight", "write let y = x.matmul(weight)"],
    [
      "squares = [i ** 2 for i in range(5)]",
      "write let squares = Array.from({ length: 5 }, (_, i) => i ** 2)",
    ],
    ["ok = x is not None and y", "write let ok = x != null && y"],
  ])("%s", (line, answer) => {
    expect(hintAtSyntaxError(`const a = 1;\n${line}\n`, 14)).toEqual({
      message: `This is Python: ${answer}`,
      start: 13,
      end: 13 + line.length,
    });
  });

  it.each([
    ["x[0:1]", "Tensor", "write x.at(torch.slice(0, 1))"],
    ["x[1:]", 'Tensor<[5], "float32">', "write x.at(torch.slice(1, null))"],
    ["x[0:1]", "number[]", "write x.slice(0, 1)"],
  ])("%s of a variable of type %s that an earlier cell left", (line, type, answer) => {
    expect(hintAtSyntaxError(line, 2, new Map([["x", type]]))?.message).toBe(`This is Python: ${answer}`);
  });

  it("of a variable whose kind is not known says both", () => {
    expect(hintAtSyntaxError("x[0:1]", 2)?.message).toBe(
      "This is Python: write x.slice(0, 1); of a tensor this is x.at(torch.slice(0, 1))",
    );
  });

  it("in a cell of Python is told that the whole cell can be shown", () => {
    const cell = 'import torch\n\nfor step in range(3):\n    print(f"{step}")\n';
    expect(hintAtSyntaxError(cell, 0)?.message).toBe(
      'This is Python: write import { torch } from "mpslab"; %%python in a line above shows all of the cell so',
    );
    expect(hintAtSyntaxError(cell, cell.indexOf("step in"))?.message).toMatch(
      /^This is Python: write for \(let step = 0; step < 3; step\+\+\) \{ \.\.\. \};/,
    );
  });

  it.each(["const x = 5 5;", "foo(1, 2", "function f( {", "} else {", "let y = ;", "const s = 'abc"])(
    "is none of TypeScript's own mistakes: %s",
    (line) => {
      expect(hintAtSyntaxError(line, 0)).toBeNull();
    },
  );
});

describe("a line that TypeScript reads, about names that there are not", () => {
  it.each([
    ["torch.backends.mps.is_available()", 'write mps.isAvailable(), with import { mps } from "mpslab"'],
    [
      "const ok = torch.backends.mps.is_built();",
      'write const ok = mps.isBuilt(), with import { mps } from "mpslab"',
    ],
    ["gc.collect();", 'write lab.flush(), with import { lab } from "mpslab"'],
    ["torch.cuda.empty_cache()", 'write cuda.emptyCache(), with import { cuda } from "mpslab"'],
    ["torch.mps.empty_cache()", 'write mps.emptyCache(), with import { mps } from "mpslab"'],
    ["model.zero_grad();", "write model.zeroGrad()"],
    ["const n = len(losses);", "write const n = losses.length"],
    ["print(loss)", "write console.log(loss)"],
    ["losses.append(1)", "write losses.push(1)"],
    ["const y = True;", "write const y = true"],
    [
      "const optimizer = torch.optim.Adam(model.parameters(), lr=0.001);",
      'write const optimizer = new optim.Adam(model.parameters(), { lr: 0.001 }), with import { optim } from "mpslab"',
    ],
    ["x.to(device=device)", "write x.to({ device })"],
  ])("%s", (line, answer) => {
    expect(hintAtUnknownName(line, 0, (name) => name === "torch")?.message).toBe(answer);
  });

  it.each(["model.forwrd(x)", "const y = undefinedName + 1;", "foo.bar.baz()", "x.shape.lenght"])(
    "is not answered where Python says the same: %s",
    (line) => {
      expect(hintAtUnknownName(line, 0, () => false)).toBeNull();
    },
  );
});
