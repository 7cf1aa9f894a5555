// `%pdb on` keeps the state at an error, and `%debug` opens it, with and without a debugger's client.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DebuggerClient } from "../../helpers/debugger_client.ts";
import { KernelProcess } from "../../helpers/kernel_process.ts";

let kernel: KernelProcess;

beforeAll(async () => {
  kernel = await KernelProcess.start();
});

afterAll(() => kernel.stop());

const run = (code: string) => kernel.client.execute(code);

const FAILING = `import { torch } from "mpslab";
const rates = [0.1, 0.01];
function train(rate: number) {
  const weights = torch.ones([2, 3]);
  const steps = { done: 4 };
  if (rate < 0.05) throw new RangeError("rate " + rate + " is too small");
  let later = 1;
  return weights.mul(rate * steps.done * later);
}
rates.map((rate) => train(rate));`;

describe("without %pdb on", () => {
  it("%debug says what to write", async () => {
    await run(FAILING);
    expect((await run("%debug")).errors).toMatchObject([
      {
        ename: "MagicError",
        evalue: "%debug: nothing was kept of an error; write %pdb on, and run the cell that fails again.",
      },
    ]);
  });

  it("%pdb says that it is off", async () => {
    expect((await run("%pdb")).stdout).toBe("%pdb is off\n");
  });
});

describe("after an error under %pdb on", () => {
  beforeAll(async () => {
    const { errors } = await run(`%pdb on\n${FAILING}`);
    expect(errors).toMatchObject([{ ename: "RangeError", evalue: "rate 0.01 is too small" }]);
  });

  it("%debug shows the call stack and the variables of the function that threw", async () => {
    const { stdout } = await run("%debug");
    expect(stdout.replace(/Cell \[\d+\]/g, "Cell [n]")).toBe(`RangeError: rate 0.01 is too small
> 1  train        Cell [n]:7   if (rate < 0.05) throw new RangeError("rate " + rate + " is too small");
  2  (anonymous)  Cell [n]:11  rates.map((rate) => train(rate));
  3  Cell [n]     Cell [n]:11  rates.map((rate) => train(rate));

Variables of train at the throw:
  rate     0.01
  weights  Tensor [2, 3] float32 on cpu: [[1., 1., 1.], [1., 1., 1.]]
  steps    { done: 4 }
`);
  });

  it("%debug -f shows another function's variables, also those of a cell", async () => {
    const { stdout } = await run("%debug -f 3");
    expect(stdout).toContain("rates  [ 0.1, 0.01 ]");
    expect((await run("%debug -f 9")).errors).toMatchObject([
      { evalue: "%debug -f 9: the call stack has only 3 frames of yours; 1 is the innermost." },
    ]);
  });

  it("%debug evaluates an expression with the function's variables and the notebook's", async () => {
    const { displays } = await run("%debug (weights.shape as number[]).length + steps.done + rates.length");
    expect(displays[0]?.["text/plain"]).toBe("8");
    expect((await run("%debug nothing.here")).errors).toMatchObject([{ ename: "ReferenceError" }]);
    expect((await run("%debug -f 2 rate")).displays[0]?.["text/plain"]).toBe("0.01");
  });

  it("an error that is caught does not replace it, the next one that is not does", async () => {
    await run('try { JSON.parse("{"); } catch {}');
    expect((await run("%debug")).stdout).toContain("RangeError: rate");
    await run('const outer = 1;\nawait Promise.resolve();\nthrow new TypeError("second");');
    const { stdout } = await run("%debug");
    expect(stdout).toMatch(/^TypeError: second\n> 1 /);
    expect(stdout).toMatch(/outer +1/);
  });

  it("what the library throws opens at the cell's line", async () => {
    await run("const two = torch.ones([2]);\ntwo.reshape([3 as number]);");
    expect((await run("%debug")).stdout).toMatch(
      /\n> 1 {2}Cell \[\d+\] {2}Cell \[\d+\]:2 {2}two\.reshape\(\[3 as number\]\);\n/,
    );
  });

  it("what is thrown and is no error is shown too", async () => {
    await run('const thrown = "a text";\nthrow thrown;');
    expect((await run("%debug")).stdout).toMatch(/^a text\n/);
  });

  it("no cell is held, and no client is told", async () => {
    expect(kernel.client.published.filter(({ header }) => header.msg_type === "debug_event")).toEqual([]);
  });

  it("a debugger's client may attach and go: the state is kept all the same", async () => {
    const client = new DebuggerClient(kernel.client);
    await client.start();
    await client.ask("disconnect");
    await run('throw new Error("after the client");');
    expect((await run("%debug")).stdout).toMatch(/^Error: after the client\n/);
  });

  it("a session that has crashed keeps nothing, the next one does", async () => {
    await run('process.kill(process.pid, "SIGKILL"); await new Promise(() => {});');
    expect((await run("%debug")).errors).toMatchObject([{ ename: "MagicError" }]);
    await run('throw new Error("anew");');
    expect((await run("%debug")).stdout).toMatch(/^Error: anew\n/);
  });

  it("%pdb off forgets it", async () => {
    await run("%pdb off");
    expect((await run("%debug")).errors).toMatchObject([{ ename: "MagicError" }]);
  });
});
