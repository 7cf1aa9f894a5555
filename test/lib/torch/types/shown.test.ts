// Tests what TypeScript says of common mistakes in a plain file, in a terminal and in an editor, of the two versions
// that are in use: word by word, in `test/fixtures/types`. `npx vitest run shown -u` writes those anew, for a reader to
// judge. No name stands there that is not public.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { errors5, errors7, hovers5, hovers7, type Place } from "./compilers.ts";

const PREAMBLE = `import { data, functional as F, nn, optim, torch, type Tensor } from "mpslab";
const x = torch.zeros([2, 3]), labels = torch.zeros([2], { dtype: "int64" });
class Net extends nn.Module { fc = new nn.Linear(3, 4); forward(t: Tensor): Tensor { return this.fc(t); } }
const run = (model: nn.Module, t: Tensor) => model(t).mean();
const only23 = (t: Tensor<[2, 3]>) => t;
`;

/** In the order of a first day with tensors. */
const MISTAKES = `
x.foo();
x.numpy();
x[0];
x + 1;
x.item() + x;
const text: string = x;
torch.zeros([2], 3);
torch.zeros([2], { dtype: "float33" });
torch.zeros([2], { device: "gpu" });
torch.zeros([2], { requires_grad: true });
torch.tensor("words");
x.add("x");
x.add(torch.zeros([4, 3]));
x.matmul(3);
x.matmul(torch.zeros([5, 4]));
x.mm(torch.zeros([2, 3]));
x.sum(2);
x.sum(1, { keepdimm: true });
x.softmax(-3);
x.reshape([4]);
x.permute([0, 1, 2]);
x.transpose(0, 2);
x.max(1).values();
x.to("mpz");
torch.cat(x, x);
torch.cat([x, torch.zeros([2, 4])]);
torch.stack([x, torch.zeros([2, 4])]);
torch.zeros([2], { device: "mps" }).add(torch.zeros([2], { device: "cpu" }));
let u = torch.zeros([2]); u = torch.zeros([3, 3]);
const list = [torch.zeros([2])]; list.push(torch.zeros([3]));
only23(torch.zeros([3, 3]));
const wrong: Tensor<[2, 3]> = torch.zeros([4]);
new nn.Linear(3);
new nn.Linear(3, 4)(1);
new nn.Linear(3, 4)(torch.zeros([2, 5]));
new nn.Sequential(new nn.Linear(3, 4), new nn.Linear(5, 6));
new nn.Conv2d(3, 16, 3)(torch.zeros([8, 1, 28, 28]));
new nn.Embedding(10, 4)(x);
new Net()(1);
new Net().forwad(x);
new Net().fc.weight = x;
run(x, x);
F.crossEntropy(x, torch.zeros([3]).long());
F.mseLoss(x, torch.zeros([3]));
F.embedding(x, torch.zeros([10, 4]));
new optim.Adam(x);
new optim.Adam(new Net(), { lr: 0.1 });
x.mean().backwards();
for (const [a] of new data.DataLoader(new data.TensorDataset(x, labels), { batchsize: 2 })) a.add(1);
`
  .trim()
  .split("\n");

const PROGRAM = `${PREAMBLE}${MISTAKES.join("\n")}\n`;
const FIRST_LINE = PREAMBLE.split("\n").length;

/** Names of ours that say nothing to a user, and what the compiler leaves out where a type is too long to read. */
const INSIDE =
  /\b(?:SomeTensor|TensorOf|Like|OfAny|ShapeOf|DTypeOf|DeviceOf|Unless|UnlessAt|Refused|LayerCall|HasRule|Judge|\w+Problem|\w+Constructor)\b|none: never|and \d{3} more/;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "mpslab-shown-"));
  writeFileSync(path.join(folder, "program.ts"), PROGRAM);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Returns the places that an editor's user points at: the function whose call is wrong, or the wrong part itself. */
function placesOf(): Place[] {
  return MISTAKES.map((line, index) => {
    const calls = [...line.matchAll(/(\w+)(?=\()/g)];
    const called = calls.find(([, name]) => name !== "zeros") ?? calls[0] ?? /\w+/.exec(line)!;
    return { line: FIRST_LINE + index, column: called.index };
  });
}

/** Arguments that say nothing. Where the compiler compares members, or explains, it prints them still. */
const UNKNOWN = /\b(?:Tensor|ValuesAndIndices)<(?:any, any, any|[^<>]*", any)>/;

const underEach = (said: readonly string[]): string =>
  MISTAKES.map((line, index) => `${line}\n${said[index]!.replace(/^/gm, "    ")}\n`).join("\n");

describe.each([
  ["7", errors7, hovers7],
  ["5", errors5, hovers5],
] as const)("TypeScript %s", (version, errors, hovers) => {
  it("refuses each mistake in words that a reader understands", async () => {
    const found = await errors(folder);
    const said = MISTAKES.map((_, index) =>
      found
        .filter(({ line }) => line === FIRST_LINE + index)
        .map(({ message }) => message)
        .join("\n"),
    );
    expect(said.filter((text) => INSIDE.test(text) || UNKNOWN.test(text.split(/\n|is missing/)[0]!))).toEqual(
      [],
    );
    await expect(underEach(said)).toMatchFileSnapshot(`../../../fixtures/types/errors_${version}.txt`);
  });

  it("shows where the mistake was made what stands there", async () => {
    const said = await hovers(folder, placesOf());
    expect(said.filter((text) => INSIDE.test(text) || UNKNOWN.test(text))).toEqual([]);
    await expect(underEach(said)).toMatchFileSnapshot(`../../../fixtures/types/hovers_${version}.txt`);
  });
});
