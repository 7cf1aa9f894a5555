// Arguments are read once, whole, before an operator runs: a getter or a Proxy among them may call operators of its own, and
// may answer otherwise the next time.
import { describe, expect, it } from "vitest";
import { type Tensor, torch } from "../../../lib/index.ts";

const x = torch.ones([2]);
const y = torch.zeros([2]);

/** Calls operators whose tensors would take the places of the list's own. */
const interfere = () => {
  torch.add(torch.full([2], 7), torch.full([2], 5));
  torch.cat([torch.full([2], 3), torch.full([2], 4)]);
};

const withGetter = (values: readonly unknown[], at: number) => {
  const list = [...values];
  Object.defineProperty(list, at, {
    get() {
      interfere();
      return values[at];
    },
  });
  return list;
};

const asProxy = (values: readonly unknown[]) =>
  new Proxy([...values], {
    get(target, key) {
      interfere();
      return Reflect.get(target, key) as unknown;
    },
  });

describe("a list whose elements are read by code that calls operators", () => {
  it.each([
    ["a getter at the beginning", withGetter([x, y], 0)],
    ["a getter at the end", withGetter([x, y], 1)],
    ["a Proxy", asProxy([x, y])],
  ])("%s", (_, list) => {
    expect(torch.stack(list as Tensor[]).tolist()).toEqual([
      [1, 1],
      [0, 0],
    ]);
    expect(torch.cat(list as Tensor[], 0).tolist()).toEqual([1, 1, 0, 0]);
  });

  it("of sizes", () => {
    expect(torch.zeros([6]).view(asProxy([2, 3]) as number[]).shape).toEqual([2, 3]);
    expect(torch.zeros(withGetter([2, 3], 1) as number[]).shape).toEqual([2, 3]);
  });

  it("in options", () => {
    const options = {
      get keepdim() {
        interfere();
        return true;
      },
    };
    expect(torch.ones([2, 3]).sum(asProxy([1]) as number[], options).shape).toEqual([2, 1]);
  });
});

describe("a list that answers otherwise the second time", () => {
  const changing = (first: unknown, then: unknown) => {
    let reads = 0;
    const list: unknown[] = [y, y];
    Object.defineProperty(list, 0, { get: () => (reads++ === 0 ? first : then) });
    return list as Tensor[];
  };

  it("counts as what it answered first", () => {
    expect(torch.stack(changing(x, 3)).tolist()).toEqual([
      [1, 1],
      [0, 0],
    ]);
  });
});

it("a tensor that is disposed while the list is read is refused", () => {
  const gone = torch.ones([2]);
  const list = [gone, y];
  Object.defineProperty(list, 1, {
    get() {
      gone.dispose();
      return y;
    },
  });
  expect(() => torch.stack(list)).toThrow(/was disposed/);
});
