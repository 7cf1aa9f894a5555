// Tests which cell a message belongs to: known while the cell can put something out, and no longer.
import { expect, it } from "vitest";
import { Outputs } from "../../../kernel/iopub/outputs.ts";
import type { Header, Message } from "../../../kernel/protocol/messages.ts";

const header = (msg_id: string): Header => ({
  msg_id,
  msg_type: "execute_request",
  session: "s",
  username: "u",
  date: "",
  version: "5.5",
});

function begin(cells: readonly string[]): {
  readonly outputs: Outputs;
  readonly parentOfError: (cell: string) => unknown;
} {
  const published: Message[] = [];
  const outputs = new Outputs((message) => published.push(message));
  for (const cell of cells) {
    outputs.begin(header(cell), "1", 1, { silent: false, kept: true });
    outputs.idle(header(cell));
  }
  const parentOfError = (cell: string): unknown => {
    outputs.error(cell, { ename: "Error", evalue: "", traceback: [] });
    return published.at(-1)?.parent_header.msg_id;
  };
  return { outputs, parentOfError };
}

it("a cell's header is kept after its end, until the session says that the cell is gone", () => {
  const { outputs, parentOfError } = begin(["one", "two"]);
  expect(parentOfError("one")).toBe("one");
  outputs.report({ type: "gone", cell: "one" });
  expect(parentOfError("one")).toBeUndefined();
  expect(parentOfError("two")).toBe("two");
});

it("text that was printed before the cell was gone still goes out under it", () => {
  const published: Message[] = [];
  const outputs = new Outputs((message) => published.push(message));
  outputs.begin(header("one"), "1", 1, { silent: false, kept: true });
  outputs.text("one", "stdout", "first");
  outputs.text("one", "stdout", "last");
  outputs.report({ type: "gone", cell: "one" });
  const streams = published.filter(({ header: { msg_type } }) => msg_type === "stream");
  expect(streams.map(({ parent_header, content }) => [parent_header.msg_id, content["text"]])).toEqual([
    ["one", "firstlast"],
  ]);
});

it("a session that died leaves the headers of those cells alone that are told of it", () => {
  const { outputs, parentOfError } = begin(["one", "two"]);
  outputs.forgetAllBut(new Set(["two"]));
  expect(["one", "two"].map(parentOfError)).toEqual([undefined, "two"]);
});
