// The history of a kernel: its end, a range of it, a search in it.
import { expect, it } from "vitest";
import { History } from "../../kernel/history.ts";

const history = new History();
for (const [index, input] of ["let a = 1", "a + 1", "f(a)", "a + 1", "a.b[0]"].entries()) {
  history.add(index + 1, input);
}
history.setOutput(2, "2");

const inputs = (items: readonly (readonly [number, number, unknown])[]) => items.map(([, , input]) => input);
const search = (pattern: string, options: { n?: number; unique?: boolean } = {}) =>
  inputs(history.query({ access: "search", output: false, pattern, n: 99, unique: false, ...options }));

it("tail gives the last n, oldest first", () => {
  expect(history.query({ access: "tail", output: false, n: 2 })).toEqual([
    [1, 4, "a + 1"],
    [1, 5, "a.b[0]"],
  ]);
  expect(history.query({ access: "tail", output: false, n: 0 })).toEqual([]);
  expect(history.query({ access: "tail", output: false, n: 99 })).toHaveLength(5);
});

it("with output each input is paired with its result, or null", () => {
  expect(history.query({ access: "range", output: true, session: 0, start: 1, stop: 3 })).toEqual([
    [1, 1, ["let a = 1", null]],
    [1, 2, ["a + 1", "2"]],
  ]);
});

it("range ends before stop; earlier sessions are not kept", () => {
  const range = { access: "range", output: false, start: 2, stop: 4 } as const;
  expect(inputs(history.query({ ...range, session: 1 }))).toEqual(["a + 1", "f(a)"]);
  expect(history.query({ ...range, session: -1 })).toEqual([]);
});

it("search takes a shell's patterns, everything else literally", () => {
  expect(search("a + *")).toEqual(["a + 1", "a + 1"]);
  expect(search("?(a)")).toEqual(["f(a)"]);
  expect(search("*[[]0]")).toEqual(["a.b[0]"]);
  expect(search("[a-f](*")).toEqual(["f(a)"]);
  expect(search("[!a]*")).toEqual(["let a = 1", "f(a)"]);
  expect(search("a")).toEqual([]);
  expect(search("[z-a]*")).toEqual(["a + 1", "a + 1", "a.b[0]"]);
  expect(search("**************************************x")).toEqual([]);
});

it("unique keeps the latest of equal inputs, n the last ones", () => {
  expect(search("a + 1", { unique: true })).toEqual(["a + 1"]);
  expect(search("*", { n: 2 })).toEqual(["a + 1", "a.b[0]"]);
});
