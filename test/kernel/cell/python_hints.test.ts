// Tests hints for people who write another language: the error says what to write here.
import { describe, expect, it } from "vitest";
import { parseCell } from "../../../kernel/cell/parse/parse.ts";
import { readMagics } from "../../../kernel/cell/magics/magics.ts";

describe("a line of another language is refused as one", () => {
  it.each([
    ["from mpslab import torch", 'write import { torch } from "mpslab"'],
    ["from torch.nn import Linear, ReLU", 'write import { Linear, ReLU } from "mpslab"'],
    ["import torch", 'write import { torch } from "mpslab"'],
    ["import numpy as np", 'write import * as np from "numpy"'],
    ["def forward(self, x):", "write function forward(self, x) { ... }"],
    ["class Net(nn.Module):", "write class Net extends nn.Module { ... }"],
    ["for epoch in range(epochs):", "write for (let epoch = 0; epoch < epochs; epoch++) { ... }"],
    ["for images, labels in loader:", "write for (const [images, labels] of loader) { ... }"],
    ["with torch.no_grad():", "write torch.noGrad(() => { ... })"],
    ["if loss < best:", "write if (loss < best) { ... }"],
    ['print(f"epoch {epoch}: {loss}")', "text with values in it is written `epoch ${epoch}: ${loss}`"],
    ["x[1:3]", "a slice of a tensor is written x.at(torch.slice(1, 3))"],
    ["x[:3]", "a slice of a tensor is written x.at(torch.slice(3))"],
    ["const y = x[1:]", "a slice of a tensor is written x.at(torch.slice(1, null))"],
    ["x @ weight", "the product of matrices is written x.matmul(weight)"],
    ["npm install left-pad", "write %npm install left-pad"],
    ["!npm i zod", "packages are installed by %npm i zod"],
    ["!cat a.txt | wc", "a shell's commands stand behind %sh: %sh cat a.txt | wc"],
  ])("%s", (line, hint) => {
    expect(() => parseCell(`const a = 1;\n${line}\n`)).toThrow(
      expect.objectContaining({
        message: `This is no TypeScript: ${hint}`,
        start: 13,
        end: 13 + line.length,
      }),
    );
  });
});

describe("a magic of IPython's is answered with what does the same", () => {
  it.each([
    ["%ls", "There is no magic %ls: a shell's commands stand behind %sh: %sh ls"],
    ["%cd ..", 'There is no magic %cd: process.chdir("folder") changes the folder'],
    ["%%html", 'There is no magic %%html: display({ "text/html": "<b>text</b>" }) shows HTML'],
    ["%memry", "There is no magic %memry: did you mean %memory?"],
  ])("%s", (line, message) => {
    expect(() => readMagics(line)).toThrow(expect.objectContaining({ message, start: 0 }));
  });
});
