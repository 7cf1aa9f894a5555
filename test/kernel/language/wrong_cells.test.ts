// 300 wrong cells, as people write them who begin with TypeScript, who know PyTorch, and who know JavaScript. Each is
// answered as the kernel answers it. What is advised is applied, and must be what was meant; where nobody can know what
// was meant, nothing is advised. `test/fixtures/wrong_cells.json` holds the cells as they are mended: after a change of the
// rules, read each difference as the user who wrote the cell.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as mpslab from "../../../lib/index.ts";
import { AnsweredNotebook } from "../../helpers/answered_cells.ts";
import { NotebookSession } from "./notebook_session.ts";

interface WrongCell {
  readonly cell: string;
  /** With the advice for its first error; null where nobody can know what was meant. */
  readonly mended: string | null;
}

interface RecordedTensor {
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly values: readonly (number | boolean)[];
}

const fixture = <Content>(name: string): Content =>
  JSON.parse(readFileSync(new URL(`../../fixtures/${name}`, import.meta.url), "utf8")) as Content;

const { setup, ...cells } = fixture<
  { readonly setup: readonly string[] } & Readonly<
    Record<"pytorch" | "typescript" | "javascript", readonly WrongCell[]>
  >
>("wrong_cells.json");

let session: NotebookSession;
beforeAll(() => {
  session = new NotebookSession();
});
afterAll(() => session.close());

/** Cells with one error more, of the same kind, which the next answer mends. */
const IN_TWO_STEPS = new Set(['const ids: number[] = ["1", "2"];', "function f(x: int): int { return x; }"]);

describe("wrong cells", () => {
  let notebook: AnsweredNotebook;
  beforeAll(async () => {
    notebook = new AnsweredNotebook(session.service, session.directory);
    await notebook.run(setup.join("\n"));
  });

  it.each(Object.entries(cells))("of people who know %s", async (_, rows) => {
    expect(rows).toHaveLength(100);
    const answered: WrongCell[] = [];
    const broken: string[] = [];
    for (const { cell } of rows) {
      const { error, mended } = await notebook.answer(cell);
      expect(error, cell).not.toBeNull();
      answered.push({ cell, mended: mended?.trimEnd() ?? null });
      const after = mended === null ? null : (await notebook.answer(mended)).error;
      if (after !== null && !IN_TWO_STEPS.has(cell)) broken.push(`${mended}: ${after}`);
    }
    expect(broken).toEqual([]);
    expect(answered).toEqual(rows);
  });

  it.each([
    ["const n = 2; `${n:.2f} s`", "const n = 2; `${n.toFixed(2)} s`"],
    ["const n = 2; `${n / 3:.1%}`", "const n = 2; `${(100 * (n / 3)).toFixed(1)}%`"],
    ["const n = 2; `${n:>8}`", null],
  ])("a format of Python in a text is a method of the number: %s", async (cell, mended) => {
    expect((await notebook.answer(cell)).mended).toBe(mended);
  });

  it("have an advice in most", () => {
    const all = Object.values(cells).flat();
    expect(all.filter(({ mended }) => mended !== null).length).toBeGreaterThanOrEqual(270);
  });
});

describe("an expression of PyTorch, or what is advised for it, gives what PyTorch gives", () => {
  const { inputs, expressions } = fixture<{
    readonly inputs: Readonly<Record<string, RecordedTensor>>;
    readonly expressions: readonly { readonly cell: string; readonly value: unknown }[];
  }>("wrong_values.json");
  const tensors = Object.fromEntries(
    Object.entries(inputs).map(([name, { shape, dtype, values }]) => [
      name,
      mpslab.torch.tensor(values, { dtype: dtype as mpslab.DType }).reshape(shape as number[]),
    ]),
  );
  let notebook: AnsweredNotebook;
  beforeAll(async () => {
    notebook = new AnsweredNotebook(session.service, session.directory);
    const lines = Object.entries(inputs).map(
      ([name, { shape, dtype }]) =>
        `const ${name} = torch.zeros(${JSON.stringify(shape)}, { dtype: "${dtype}" });`,
    );
    await notebook.run(['import { torch } from "mpslab";', ...lines].join("\n"));
  });

  it.each(expressions.map(({ cell, value }) => [cell, value] as const))("%s", async (cell, value) => {
    const { error, mended } = await notebook.answer(cell);
    expect(error === null || mended !== null, cell).toBe(true);
    const expression = (mended ?? cell).replace(/^import .*\n/, "").replace(/;\s*$/, "");
    const names = { torch: mpslab.torch, ...tensors };
    // oxlint-disable-next-line typescript/no-implied-eval
    const result: unknown = new Function(...Object.keys(names), `return (${expression});`)(
      ...Object.values(names),
    );
    expect(plain(result)).toEqual(value);
  });
});

function plain(value: unknown): unknown {
  if (!mpslab.torch.isTensor(value)) return value;
  const values = value.reshape([-1]).tolist() as (number | bigint | boolean)[];
  const rounded = values.map((one) =>
    typeof one === "bigint"
      ? Number(one)
      : typeof one === "number" && one !== 0
        ? Number(one.toPrecision(9))
        : one,
  );
  return { shape: value.shape, dtype: value.dtype, values: rounded };
}
