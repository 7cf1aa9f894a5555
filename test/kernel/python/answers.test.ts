// What one reads who pastes Python into a cell of the real kernel.
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { KernelProcess } from "../../helpers/kernel_process.ts";
import { convertCell, outcome } from "../../helpers/python_cells.ts";

let kernel: KernelProcess;
beforeAll(async () => {
  kernel = await KernelProcess.start();
});
afterAll(() => kernel.stop());

const answer = async (code: string): Promise<string> => {
  const { reply, errors } = await kernel.client.execute(code);
  const trace = (errors[0]?.["traceback"] ?? []) as string[];
  return `${String(reply["ename"])}: ${stripVTControlCharacters(trace.join("\n"))}`;
};

describe("a pasted cell is answered", () => {
  it("with the line in TypeScript, and the way to see all of it", async () => {
    const said = await answer("import torch.nn as nn\n\nmodel = nn.Linear(4, 2)\n");
    expect(said).toContain(
      'SyntaxError: This is Python: write import { nn } from "mpslab"; %%python in a line above shows all of the cell so',
    );
    expect(said).toContain("> 1 | import torch.nn as nn");
  });

  it("with names that TypeScript could read and did not know", async () => {
    await kernel.client.execute('import { torch } from "mpslab"; const x = torch.ones([2]);');
    expect(await answer("gc.collect()")).toContain(
      `Property 'collect' does not exist on type 'GCFunction'. That is Python's way: write lab.flush(), with import { lab } from "mpslab".`,
    );
    expect(await answer("const ok = torch.backends.mps.is_available();")).toContain(
      `write mps.isAvailable(), with import { mps } from "mpslab".`,
    );
    expect(await answer("print(x.requires_grad)")).toContain("write console.log(x.requiresGrad)");
  });
});

it("an advice is in the error's metadata too, with positions in code points", async () => {
  const { messages } = await kernel.client.execute('const face = "🙂"; [1].lenght');
  const error = messages.find(({ header }) => header.msg_type === "error")!;
  expect(error.metadata).toEqual({
    mpslab: {
      advice: [
        {
          start: 18,
          end: 28,
          text: "[1].length",
          sentence: "That is close to a name that there is",
          also: [],
        },
      ],
    },
  });
  expect(Object.keys(error.content).toSorted()).toEqual(["ename", "evalue", "traceback"]);
});

describe("%%python", () => {
  it("knows the types of what earlier cells made, and runs nothing", async () => {
    const { client } = kernel;
    await client.execute('import { torch } from "mpslab"; let weights = torch.ones([3]); let count = 2;');
    const { typescript, marks } = await convertCell(client, "print(weights[:2] * count + weights[0])");
    expect(marks).toEqual([]);
    expect(typescript).toBe(
      'import { torch } from "mpslab";\n\nconsole.log(weights.at(torch.slice(2)).mul(count).add(weights.at(0)));',
    );
    expect(await outcome(client, typescript)).toBe("tensor([3., 3.])\n");
  });

  it.each([
    ["", "%%python takes the Python below it: write some."],
    ["const x = 1;", "Nothing is converted: line 1 is not Python: const x = 1;"],
    ["x = 1\ny = = 2", "Nothing is converted: line 2 is not Python: y = = 2"],
  ])("refuses %j", async (body, message) => {
    const { reply } = await kernel.client.execute(`%%python\n${body}`);
    expect(reply["evalue"]).toContain(message);
  });
});
