// Python in a cell of TypeScript: what is offered. Whether an offer holds, the checker says.
import { describe, expect, it } from "vitest";
import { parseTypeScript } from "../../../lib/typescript/parse.ts";
import { nodesAround } from "../../../kernel/language/advice/place.ts";
import { answerForSyntax, offersForNames } from "../../../kernel/python/hints.ts";

/** What is shown of the first offer, or else the remark. */
function answered(text: string, offset: number, types?: ReadonlyMap<string, string>): string | null {
  const { offers, remark } = answerForSyntax(text, offset, types);
  const [first] = offers;
  return first === undefined ? (remark?.message ?? null) : (first.shown ?? first.text).replace(/;$/, "");
}

const REMARK = "This is Python: %%python in a line above shows the cell as TypeScript";

describe("a line that is Python and no TypeScript", () => {
  it.each([
    ["import torch", 'import { torch } from "mpslab"'],
    ["import torch.nn as nn", 'import { nn } from "mpslab"'],
    ["import torch.nn.functional as F", 'import { functional as F } from "mpslab"'],
    ["import torch.optim as optim", 'import { optim } from "mpslab"'],
    ["from mpslab import torch", 'import { torch } from "mpslab"'],
    ["from torch.amp import autocast", 'import { amp } from "mpslab", and amp.autocast for autocast'],
    [
      "from torch.nn import Linear, ReLU",
      'import { nn } from "mpslab", and nn.Linear for Linear, nn.ReLU for ReLU',
    ],
    [
      "from torch.utils.data import DataLoader",
      'import { data } from "mpslab", and data.DataLoader for DataLoader',
    ],
    [
      "import numpy as np",
      "This is Python: there is no numpy here: an array is a tensor, and operators of torch do the rest",
    ],
    [
      "import gc",
      "This is Python: gc is Python's own; %%python above a cell turns its calls into TypeScript",
    ],
    ["def forward(self, x):", "function forward(self, x) { ... }"],
    ["class Net(nn.Module):", "class Net extends nn.Module { ... }"],
    ["for epoch in range(epochs):", "for (let epoch = 0; epoch < epochs; epoch++) { ... }"],
    ["for images, labels in loader:", "for (const [images, labels] of loader) { ... }"],
    ["for i, (x, y) in enumerate(loader):", "let i = -1 for (const [x, y] of loader) { ... } i++"],
    ["with torch.no_grad():", "torch.noGrad(() => { ... })"],
    ["if loss < best:", "if (loss < best) { ... }"],
    ['print(f"epoch {epoch}: {loss:.4f}")', "console.log(`epoch ${epoch}: ${loss.toFixed(4)}`)"],
    ["y = x[1:3, 0]", "let y = x.at(torch.slice(1, 3), 0)"],
    ["y = x @ weight", "let y = x.matmul(weight)"],
    ["squares = [i ** 2 for i in range(5)]", "let squares = Array.from({ length: 5 }, (_, i) => i ** 2)"],
    ["ok = x is not None and y", "let ok = x != null && y"],
  ])("%s", (line, answer) => {
    expect(
      answered(
        `const a = 1;
${line}
`,
        14,
      ),
    ).toBe(answer);
  });

  it.each([
    ["x[0:1]", "Tensor", "x.at(torch.slice(0, 1))"],
    ["x[1:]", 'Tensor<[5], "float32">', "x.at(torch.slice(1, null))"],
    ["x[0:1]", "number[]", "x.slice(0, 1)"],
  ])("%s of a variable of type %s that an earlier cell left", (line, type, answer) => {
    expect(answered(line, 2, new Map([["x", type]]))).toBe(answer);
  });

  it("of a variable whose kind is not known is not offered: it says one thing of a list, another of a tensor", () => {
    expect(answered("x[0:1]", 2)).toBe(REMARK);
  });

  it("in a cell of Python is told that the whole cell can be shown, and replaces the whole cell", () => {
    const cell = 'import torch\n\nfor step in range(3):\n    print(f"{step}")\n';
    expect(answered(cell, 0)).toBe(
      'import { torch } from "mpslab"; %%python in a line above shows all of the cell so',
    );
    const [offer] = answerForSyntax(cell, cell.indexOf("step in")).offers;
    expect(offer).toEqual({
      start: 0,
      end: cell.length,
      text: 'import { torch } from "mpslab";\n\nfor (let step = 0; step < 3; step++) {\n  console.log(`${step}`);\n}\n',
      sentence: "This is Python",
      shown:
        "for (let step = 0; step < 3; step++) { ... }; %%python in a line above shows all of the cell so",
      isWhole: true,
    });
  });

  it.each([
    "const x = 5 5;",
    "foo(1, 2",
    "function f( {",
    "} else {",
    "let y = ;",
    "const s = 'abc",
    "return 5",
    "yield 1",
  ])("is none of TypeScript's own mistakes: %s", (line) => {
    expect(answered(line, 0)).toBeNull();
  });
});

describe("a part of a line that TypeScript reads, about names that there are not", () => {
  const offered = (text: string, at: string) => {
    const start = text.indexOf(at);
    const around = nodesAround(parseTypeScript(text).program, start, start + at.length);
    return offersForNames(text, around).map((offer) => offer.text);
  };

  it.each([
    ["torch.backends.mps.is_available()", "backends", ["mps.isAvailable()", "mps.isAvailable", "mps"]],
    ["gc.collect();", "collect", ["lab.flush()"]],
    ["model.zero_grad();", "zero_grad", ["model.zeroGrad()", "model.zeroGrad"]],
    ["const n = len(losses);", "len", ["losses.length"]],
    ["print(loss)", "print", ["console.log(loss)"]],
    ["const y = True;", "True", ["true"]],
    [
      "const optimizer = torch.optim.Adam(model.parameters(), lr=0.001);",
      "lr",
      ["new optim.Adam(model.parameters(), { lr: 0.001 })"],
    ],
    ["new nn.Conv2d(1, 32, 3, 1)", "1)", ["new nn.Conv2d(1, 32, 3, { stride: 1 })"]],
    ["x.to(device=device)", "device=", ["x.to({ device })"]],
  ])("%s", (line, at, texts) => {
    expect(offered(line, at.replace(/[)=]$/, ""))).toEqual(texts);
  });

  it.each([
    ["model.forwrd(x)", "forwrd"],
    ["const y = undefinedName + 1;", "undefinedName"],
    ["foo.bar.baz()", "foo"],
    ["x.shape.lenght", "lenght"],
    ["fetchUser({ id: 1 })", "fetchUser"],
    ["foo({ a })", "foo"],
    ["this.name = name", "name"],
    ["let ok: bool = true", "bool"],
  ])("nothing is offered where Python says the same, or the text is no Python: %s", (line, at) => {
    expect(offered(line, at)).toEqual([]);
  });
});
