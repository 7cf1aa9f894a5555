// Contents of requests: defaults where the protocol has them, a sentence for every field of a wrong type.
import { describe, expect, it } from "vitest";
import {
  ContentError,
  readCursorRequest,
  readExecuteRequest,
  readHistoryRequest,
} from "../../../kernel/protocol/requests.ts";

describe("execute_request", () => {
  it("needs the code alone", () => {
    expect(readExecuteRequest({ code: "1" })).toEqual({
      code: "1",
      silent: false,
      storeHistory: true,
      userExpressions: {},
      allowStdin: true,
      stopOnError: true,
      cellId: null,
      deletedCells: [],
    });
  });

  it("takes the cell's id and the deleted cells from JupyterLab's metadata", () => {
    const cells = (metadata: Record<string, unknown>) => {
      const { cellId, deletedCells } = readExecuteRequest({ code: "1" }, metadata);
      return [cellId, deletedCells];
    };
    expect(cells({ cellId: "a", deletedCells: ["b"], trusted: true })).toEqual(["a", ["b"]]);
    expect(cells({ cellId: 3, deletedCells: "b" })).toEqual([null, []]);
    expect(cells({ deletedCells: ["b", 3] })).toEqual([null, ["b"]]);
  });

  it("that is silent is not stored, whatever store_history says", () => {
    expect(readExecuteRequest({ code: "1", silent: true, store_history: true }).storeHistory).toBe(false);
  });

  it.each([
    [{}, "code is missing"],
    [{ code: 3 }, "code must be a string, not 3"],
    [{ code: "1", silent: "yes" }, 'silent must be true or false, not "yes"'],
    [{ code: "1", store_history: 1 }, "store_history must be true or false, not 1"],
    [{ code: "1", allow_stdin: [] }, "allow_stdin must be true or false, not []"],
    [{ code: "1", stop_on_error: "no" }, 'stop_on_error must be true or false, not "no"'],
    [{ code: "1", user_expressions: [] }, "user_expressions must be an object of expressions, not []"],
    [{ code: "1", user_expressions: { a: 1 } }, "user_expressions.a must be a string, not 1"],
  ])("%j is refused: %s", (content, reason) => {
    expect(() => readExecuteRequest(content)).toThrow(new ContentError(reason));
  });
});

describe("complete_request and inspect_request", () => {
  it("have the cursor at the end where they do not say", () => {
    expect(readCursorRequest({ code: "abc" })).toEqual({ code: "abc", cursorPos: 3 });
  });

  it.each([
    [{ code: null }, "code is missing"],
    [{ code: "a", cursor_pos: "1" }, 'cursor_pos must be an integer, not "1"'],
    [{ code: "a", cursor_pos: 0.5 }, "cursor_pos must be an integer, not 0.5"],
  ])("%j is refused: %s", (content, reason) => {
    expect(() => readCursorRequest(content)).toThrow(new ContentError(reason));
  });
});

describe("history_request", () => {
  it.each([
    [{}, "hist_access_type is missing"],
    [{ hist_access_type: "all" }, 'hist_access_type must be "tail", "range" or "search", not "all"'],
    [{ hist_access_type: "tail", n: "5" }, 'n must be an integer, not "5"'],
    [{ hist_access_type: "search", pattern: 5 }, "pattern must be a string, not 5"],
    [{ hist_access_type: "range", start: {} }, "start must be an integer, not {}"],
    [{ hist_access_type: "tail", output: 1 }, "output must be true or false, not 1"],
  ])("%j is refused: %s", (content, reason) => {
    expect(() => readHistoryRequest(content)).toThrow(new ContentError(reason));
  });
});
