// How the outputs of ranks are told apart, without processes.
import { describe, expect, it } from "vitest";
import type { FromSession } from "../../../../kernel/session/channel.ts";
import { RankOutputs } from "../../../../kernel/session/ranks/rank_outputs.ts";

const cell = "cell-1";
const print = (text: string): FromSession => ({ type: "stream", cell, name: "stdout", text });
const value = (text: string): FromSession => ({
  type: "result",
  cell,
  data: { "text/plain": text },
  metadata: {},
});

function gathering(size: number): {
  readonly outputs: RankOutputs;
  readonly put: FromSession[];
  text(): string;
} {
  const put: FromSession[] = [];
  const outputs = new RankOutputs(size, (message) => put.push(message));
  const text = () => put.map((message) => (message.type === "stream" ? message.text : "")).join("");
  return { outputs, put, text };
}

describe("text of ranks", () => {
  it("has its rank before each line", () => {
    const { outputs, text } = gathering(2);
    outputs.take(0, print("a\nb\n"));
    outputs.take(1, print("c\n"));
    expect(text()).toBe("[rank 0] a\n[rank 0] b\n[rank 1] c\n");
  });

  it("goes on in the line of its rank, and begins another one where a rank has not finished its own", () => {
    const { outputs, text } = gathering(2);
    outputs.take(0, print("loss "));
    outputs.take(0, print("0.5\n"));
    outputs.take(0, print("step 1"));
    outputs.take(1, print("step 2\n"));
    expect(text()).toBe("[rank 0] loss 0.5\n[rank 0] step 1\n[rank 1] step 2\n");
  });
});

describe("values of ranks", () => {
  it("that are equal are the cell's result, once", async () => {
    const { outputs, put, text } = gathering(3);
    for (const rank of [2, 0, 1]) outputs.take(rank, value("7"));
    expect(put).toEqual([]);
    await outputs.ends(cell);
    expect(text()).toBe("[all 3 ranks]\n");
    expect(put.filter(({ type }) => type !== "stream")).toEqual([value("7")]);
  });

  it("that differ stand below their ranks", async () => {
    const { outputs, put, text } = gathering(3);
    for (const [rank, told] of ["1", "2", "1"].entries()) outputs.take(rank, value(told));
    await outputs.ends(cell);
    expect(text()).toBe("[ranks 0, 2]\n[rank 1]\n");
    const shown = put.flatMap((message) => (message.type === "display" ? [message.data["text/plain"]] : []));
    expect(shown).toEqual(["1", "2"]);
  });
});

describe("displays of ranks", () => {
  it("of one id are one for each rank", () => {
    const { outputs, put, text } = gathering(2);
    const display = (update: boolean): FromSession => ({
      ...{ type: "display", cell, data: {}, metadata: {}, displayId: "bar", update },
    });
    outputs.take(0, display(false));
    outputs.take(1, display(false));
    outputs.take(1, display(true));
    expect(text()).toBe("[rank 0]\n[rank 1]\n");
    const ids = put.flatMap((message) => (message.type === "display" ? [message.displayId] : []));
    expect(ids).toEqual(["bar-rank-0", "bar-rank-1", "bar-rank-1"]);
  });

  it("are cleared by rank 0", () => {
    const { outputs, put } = gathering(2);
    for (const rank of [0, 1]) outputs.take(rank, { type: "clear", cell, wait: true });
    expect(put).toEqual([{ type: "clear", cell, wait: true }]);
  });
});

it("a cell is gone when it is on every rank", () => {
  const { outputs, put } = gathering(2);
  outputs.take(1, { type: "gone", cell });
  expect(put).toEqual([]);
  outputs.take(0, { type: "gone", cell });
  expect(put).toEqual([{ type: "gone", cell }]);
});

it("the question of a rank that has ended makes room for that of the next", () => {
  const { outputs, put } = gathering(2);
  for (const rank of [1, 0])
    outputs.take(rank, { type: "inputRequest", cell, prompt: "seed?", password: false });
  const prompts = () => put.flatMap((message) => (message.type === "inputRequest" ? [message.prompt] : []));
  expect(prompts()).toEqual(["[rank 1] seed?"]);
  outputs.forget(1);
  expect(prompts()).toEqual(["[rank 1] seed?", "[rank 0] seed?"]);
  expect(outputs.answered()).toBe(0);
  expect(outputs.answered()).toBeNull();
});
