// The examples of PyTorch's docstrings print here what they print in Python, once %%python has translated them. Their
// text stands in the wheel that set-up installs, and what PyTorch showed in `kept.json.gz`.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { KernelProcess } from "../../helpers/kernel_process.ts";
import { convertAlone, outcome } from "../../helpers/python_cells.ts";
import { cellOf, differenceOf, installedExamples, keptExamples, SEPARATOR } from "./corpus.ts";
import { LISTED } from "./listed.ts";

const kept = keptExamples();
const examples = installedExamples();
const names = Object.keys(kept);
const listed = Object.keys(LISTED);
const PART = 50;

/** What an example may have set. */
const RESET = `import { torch as fresh } from "mpslab";
fresh.setDefaultDtype("float32");
fresh.setDefaultDevice("cpu");
fresh.setGradEnabled(true);
fresh.setPrintoptions({ profile: "default" });`;

let kernel: KernelProcess;
beforeAll(async () => {
  kernel = await KernelProcess.start();
});
afterAll(() => kernel.stop());

/** Why the example does not show what it shows in Python; null if it does. */
async function problemOf(name: string): Promise<string | null> {
  const { python, wanted } = cellOf(examples[name]!, kept[name]!);
  const { client } = kernel;
  await client.execute(RESET);
  try {
    const { typescript } = convertAlone(python);
    const output = await outcome(client, typescript);
    return output.startsWith("FAILED") ? output.split("\n")[0]! : differenceOf(output, wanted);
  } catch (error) {
    return String(error);
  }
}

describe("examples of PyTorch's docstrings", () => {
  it("stand in the installed wheel", () => {
    expect(names.filter((name) => !Object.hasOwn(examples, name))).toEqual([]);
  });

  const problems: Record<string, string> = {};

  // A test counts as hung after a while.
  const parts = Array.from({ length: Math.ceil(names.length / PART) }, (_, at) =>
    names.slice(at * PART, (at + 1) * PART),
  );
  it.each(parts.map((part) => [part[0]!, part.at(-1)!, part] as const))(
    "from %s to %s print what they print in Python, except for those that are listed with a reason",
    async (_first, _last, part) => {
      for (const name of part) {
        const problem = await problemOf(name);
        if (problem !== null) problems[name] = problem;
      }
      const found = part.filter((name) => Object.hasOwn(problems, name));
      expect(found.filter((name) => !listed.includes(name)).map((name) => [name, problems[name]])).toEqual(
        [],
      );
    },
  );

  it("are listed only where they print something else", () => {
    const count = names.length - Object.keys(problems).length;
    console.log(`${count} of ${names.length} examples of PyTorch's docstrings print the same.`);
    expect(listed.filter((name) => !Object.hasOwn(problems, name))).toEqual([]);
  });
});

describe("the comparison itself", () => {
  const output = (...texts: string[]): string => texts.map((text) => `${text}\n${SEPARATOR}\n`).join("");

  it("passes the same numbers and words in other brackets", () => {
    const theirs = "torch.return_types.max(\nvalues=tensor(1.2345),\nindices=tensor(True))\n";
    expect(differenceOf(output("{ values: tensor(1.2346), indices: tensor(true) }"), [theirs])).toBeNull();
    expect(differenceOf(output("[ 2, 3 ]"), ["torch.Size([2, 3])\n"])).toBeNull();
  });

  it.each([
    ["another number", output("tensor(1.2)"), ["tensor(1.3)\n"]],
    ["a number too many", output("[1, 2]"), ["[1]\n"]],
    ["a number too few", output("[1]"), ["[1, 2]\n"]],
    ["a text that is not there", output("1"), ["1\n", "2\n"]],
  ])("finds %s", (_, printed, wanted) => {
    expect(differenceOf(printed, wanted)).not.toBeNull();
  });
});
