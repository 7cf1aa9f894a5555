// A disposed tensor's slot takes the next tensor: nobody who holds the disposed one may see another in its place.
import { describe, expect, it, onTestFinished } from "vitest";
import { collectGarbage } from "../../../lib/torch/engine/garbage.ts";
import { native } from "../../../lib/torch/engine/native.ts";
import type { Tensor } from "../../../lib/torch/tensor/tensor.ts";
import { elements, failure, float32, operator } from "../operators.ts";
import { allocatedBytes, collectedBytes } from "../../helpers/memory.ts";

const [add, mul, relu] = [operator("add"), operator("mul"), operator("relu")];
const x = float32([1, 2]);

describe("a disposed tensor", () => {
  it("stays disposed, whatever is made after it", () => {
    const gone = add(x, 1);
    native.dispose(gone);
    const next = add(x, 2);
    native.dispose(gone);
    expect([native.isDisposed(gone), native.isDisposed(next)]).toEqual([true, false]);
    expect(elements(next)).toEqual([3, 4]);
    for (const use of [() => relu(gone), () => add(x, gone), () => native.shape(gone)])
      expect(failure(use).name).toBe("UseAfterDisposeError");
  });

  it("names the cell that made it, whichever made what came after it", () => {
    const made = ["Cell [1]", "Cell [2]", "Cell [1]"].map((cell) => {
      native.setOrigin(cell);
      return add(x, 1);
    });
    native.setOrigin("Cell [3]");
    for (const tensor of made) native.dispose(tensor);
    for (let i = 0; i < 3; i++) add(x, 1);
    native.setOrigin("");
    expect(made.map((tensor) => /Cell \[\d\]/.exec(failure(() => relu(tensor)).message)![0])).toEqual([
      "Cell [1]",
      "Cell [2]",
      "Cell [1]",
    ]);
  });

  it("stays so where the addon was asked about it the long way before", () => {
    const gone = add(x, 1);
    expect(native.isTensor(gone)).toBe(true);
    native.dispose(gone);
    const next = add(x, 2);
    expect(native.isTensor(gone)).toBe(true);
    expect([native.isDisposed(gone), native.isDisposed(next)]).toEqual([true, false]);
  });

  it("leaves a tensor alone that a call gave back in its place: in-place operators", () => {
    const z = add(x, 1);
    expect(native.call2(native.operator("add_"), z, 1)).toBe(z);
    native.dispose(z);
    expect(failure(() => native.call2(native.operator("add_"), z, 1)).name).toBe("UseAfterDisposeError");
  });
});

describe("a tidy scope", () => {
  it("disposes what took the slot of one that was disposed inside", () => {
    const scope = native.beginScope();
    native.dispose(add(x, 1));
    const made = add(x, 2);
    native.endScope(scope, []);
    expect(native.isDisposed(made)).toBe(true);
    expect(elements(add(x, 3))).toEqual([4, 5]);
  });

  it("keeps its hands off what outside took the slot of one of its own", () => {
    const scope = native.beginScope();
    native.dispose(add(x, 1));
    native.endScope(scope, []);
    const made = add(x, 2);
    const next = native.beginScope();
    native.endScope(next, []);
    expect(native.isDisposed(made)).toBe(false);
  });
});

it("an operator keeps its arguments, though a hook inside of it disposes them and makes others", () => {
  const weight = float32([3, 4]);
  native.setRequiresGrad(weight, true);
  const factor = add(x, 0);
  let packed = 0;
  native.pushSavedTensorHooks(
    (tensor: Tensor) => {
      packed++;
      native.dispose(factor);
      add(x, 100);
      return tensor;
    },
    (tensor) => tensor,
  );
  const product = mul(weight, factor);
  native.popSavedTensorHooks();
  expect(packed).toBeGreaterThan(0);
  expect(elements(operator("clone")(operator("detach")(product)))).toEqual([3, 8]);
  expect(native.isDisposed(factor)).toBe(true);
});

it("thousands at once give their memory back, and are made again", () => {
  const many = () => Array.from({ length: 5_000 }, (_, i) => add(x, i));
  const before = collectedBytes();
  for (let round = 0; round < 3; round++) {
    const made = many();
    const sum = operator("sum")(made[4_321]!);
    expect(native.item(sum)).toBe(4_322 + 4_323);
    for (const tensor of [sum, ...made]) native.dispose(tensor);
    expect(allocatedBytes()).toBe(before);
    expect(made.every((tensor) => native.isDisposed(tensor))).toBe(true);
  }
});

it("a loop that disposes of all that it makes asks for no collection", () => {
  let collections = 0;
  // As the library has set it.
  onTestFinished(() =>
    native.setCollector(
      () => collectGarbage("full"),
      () => collectGarbage("minor"),
    ),
  );
  native.setCollector(
    () => collections++,
    () => collections++,
  );
  for (let i = 0; i < 20_000; i++) native.dispose(add(x, 1));
  expect(collections).toBe(0);
});

it("a slot whose tensor nobody holds any more is collected with it", () => {
  native.dispose(add(x, 1));
  const before = collectedBytes();
  for (let i = 0; i < 1_000; i++) add(x, 1);
  expect(collectedBytes()).toBeLessThanOrEqual(before);
});
