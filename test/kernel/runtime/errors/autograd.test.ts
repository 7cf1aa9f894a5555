// Autograd in the real kernel: errors of backward, anomaly mode and the profiler speak of lines of cells.
import { afterAll, beforeAll, expect, it } from "vitest";
import { KernelProcess } from "../../../helpers/kernel_process.ts";

let kernel: KernelProcess;
beforeAll(async () => {
  kernel = await KernelProcess.start();
  await run(`import { autograd, torch, type Tensor } from "mpslab";
const leaf = (x: number) => torch.tensor([x]).float().requiresGrad_();
class Fails extends autograd.Function {
  static forward(ctx: autograd.FunctionContext, x: Tensor): Tensor {
    return x.mul(1);
  }
  static backward(ctx: autograd.FunctionContext, grad: Tensor): Tensor {
    throw new RangeError("not today");
  }
}`);
});
afterAll(() => kernel.stop());

const run = (code: string) => kernel.client.execute(code);

it("an error of a function's own backward has the line in it, and that of loss.backward()", async () => {
  const failed = await run(`const loss = Fails.apply(leaf(1)).sum();
loss.backward();`);
  const count = Number(failed.reply["execution_count"]);
  expect([failed.reply["ename"], failed.reply["evalue"]]).toEqual(["RangeError", "not today"]);
  const traceback = (failed.reply["traceback"] as string[]).join("\n");
  expect(traceback).toContain(`Cell [${count - 1}]:8:11`);
  expect(traceback).toContain(`Cell [${count}]:2:6`);
});

it("anomaly mode names the line of the forward", async () => {
  const failed = await run(`const forward = (x: Tensor) => {
  const root = x.sqrt();
  return root.mul(0).sum();
};
autograd.detectAnomaly(() => forward(leaf(0)).backward());`);
  const place = `Cell [${String(failed.reply["execution_count"])}]:2:18`;
  expect(failed.reply["evalue"]).toBe(
    `SqrtBackward0 gave a gradient that is NaN, for input 0. The forward call is at ${place}.`,
  );
  const traceback = (failed.reply["traceback"] as string[]).join("\n");
  expect(traceback).toMatch(/Caused by: .*ForwardCall/);
  expect(traceback).toContain("const root = x.sqrt();");
});

it("the profiler leads operators to lines of the cell", async () => {
  const { reply, result } = await run(`const made = torch.profiler.profile({ withStack: true }, () => {
  leaf(2).exp();
});
made.events().find(({ name }) => name === "aten::exp")!.stack[0]`);
  expect(result).toBe(`'Cell [${String(reply["execution_count"])}]:2:11'`);
});
