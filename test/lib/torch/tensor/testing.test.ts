// torch.testing.assertClose: what counts as close, and what its errors say.
import { describe, expect, it } from "vitest";
import { torch } from "../../../../lib/index.ts";

const { assertClose } = torch.testing;
const float = (...values: number[]) => torch.tensor(values, { dtype: "float32" });

describe("torch.testing.assertClose", () => {
  it("passes numbers that are as near as their dtype lets them be", () => {
    assertClose(float(1, 2), float(1.000001, 2));
    assertClose(torch.tensor([1, 2]), torch.tensor([1, 2]));
    assertClose(float(1).half(), float(1.0009).half());
    assertClose(torch.tensor([1], { dtype: "complex64" }), torch.tensor([1], { dtype: "complex64" }));
    expect(() => assertClose(float(1).double(), float(1.000001).double())).toThrow(RangeError);
    expect(() => assertClose(torch.tensor([1]), torch.tensor([2]))).toThrow(RangeError);
  });

  it("says how many numbers differ, where they differ most, and by how much", () => {
    const expected = torch.tensor(
      [
        [1, 2],
        [4, 1],
      ],
      { dtype: "float32" },
    );
    expect(() =>
      assertClose(
        expected.add(
          torch.tensor([
            [0, 0.5],
            [1, 0],
          ]),
        ),
        expected,
      ),
    ).toThrow(
      "torch.testing.assertClose: 2 of 4 numbers differ (50.0%); the greatest absolute difference is 1 at [1, 0] where 0.00001 is allowed, the greatest relative one 0.25 at [0, 1] where 0.0000013 is allowed.",
    );
  });

  it("compares what lists and records hold, and names the place", () => {
    assertClose({ loss: [0.5, float(1)] }, { loss: [0.5, float(1)] });
    expect(() => assertClose({ loss: [0.5, 1] }, { loss: [0.5, 2] })).toThrow(
      "torch.testing.assertClose at .loss[1]: 1 of 1 numbers differ (100.0%)",
    );
    expect(() => assertClose([1], [1, 2])).toThrow("give both the same keys");
    expect(() => assertClose({ a: 1 }, { b: 1 })).toThrow("give both the same keys");
  });

  it("asks for one shape, dtype and device, unless told otherwise", () => {
    expect(() => assertClose(float(1), float(1, 1))).toThrow("the shapes differ, [1] and [2].");
    expect(() => assertClose(float(1), float(1).double())).toThrow("the dtypes differ, float32 and float64.");
    assertClose(float(1), float(1).double(), { checkDtype: false });
    assertClose(float(NaN), float(NaN), { equalNan: true });
    expect(() => assertClose(float(NaN), float(NaN))).toThrow(RangeError);
  });

  it("takes both tolerances or none", () => {
    assertClose(float(1), float(1.1), { rtol: 0, atol: 0.2 });
    expect(() => assertClose(float(1), float(1), { rtol: 0 })).toThrow("takes rtol and atol together");
  });

  it("refuses values that cannot be compared", () => {
    expect(() => assertClose(float(1), 1)).toThrow("both of one kind");
    expect(() => assertClose("a", "a")).toThrow(TypeError);
  });
});
