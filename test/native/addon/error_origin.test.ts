// Tests what an error of libtorch's carries beside its message: a code that stays, and libtorch's own text.
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { torch } from "../../../lib/index.ts";

interface LibtorchError extends Error {
  readonly code: string;
  readonly cause: Error;
}

function thrownBy(run: () => unknown): LibtorchError {
  try {
    run();
  } catch (error) {
    return error as LibtorchError;
  }
  throw new Error("nothing was thrown");
}

const x = torch.ones([2, 3]);

describe("an error of libtorch's has a code, and libtorch's own text as its cause", () => {
  it.each<[string, () => unknown, string, RegExp]>([
    [
      "shapes that do not fit",
      () => x.matmul(x as never),
      "ERR_TORCH_RANGE",
      /cannot be multiplied \(2x3 and 2x3\)/,
    ],
    ["an index out of range", () => x.select(0, 5), "ERR_TORCH_RANGE", /^select\(\): index 5 out of range/],
    [
      "a dtype that has no kernel",
      () => torch.ones([2], { dtype: "int64" }).softmax(0),
      "ERR_TORCH_UNSUPPORTED_OPERATOR",
      /not implemented for 'Long'/,
    ],
    [
      "a second backward",
      () => {
        const w = torch.ones([2]).requiresGrad_();
        const loss = w.mul(w).sum();
        loss.backward();
        loss.backward();
      },
      "ERR_TORCH",
      /Trying to backward through the graph a second time/,
    ],
    ["memory that no machine has", () => torch.zeros([2 ** 45]), "ERR_TORCH_OUT_OF_MEMORY", /./],
  ])("%s", (_, run, code, text) => {
    const error = thrownBy(run);
    expect(error.code).toBe(code);
    expect(error.cause).toBeInstanceOf(Error);
    expect(error.cause.name).toBe("libtorch");
    expect(error.cause.message).toMatch(text);
  });

  it("which do not show where somebody prints the error", () => {
    const error = thrownBy(() => x.select(0, 5));
    expect(Object.keys(error)).toEqual([]);
    expect(inspect(error)).not.toContain("ERR_TORCH_RANGE");
  });
});

describe("a failed assertion inside libtorch", () => {
  const error = thrownBy(() =>
    torch.ops.aten._batch_norm_impl_index_backward.default(
      ...[9, x, x, x, x, x, x, x, true, 1e-5, [true, true, true], x],
    ),
  );

  it("is one, with the call, its arguments and what to do; libtorch's words stand in the cause", () => {
    expect(error.message).toMatch(
      /^_batchNormImplIndexBackward\(\): libtorch failed an internal check \(got .*\)\. Check shapes and dtypes/,
    );
    expect(error.code).toBe("ERR_TORCH_INTERNAL");
    expect(error.cause.message).toContain("INTERNAL ASSERT FAILED");
  });
});
