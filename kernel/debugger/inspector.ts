// V8's inspector as the debugger's files ask it: commands go to the session's worker, results come back.
import type { Debugger } from "node:inspector";

/** @throws Error with V8's words */
export type AskInspector = <Result = unknown>(method: string, params?: object) => Promise<Result>;

/** 0-based, as V8 counts. */
export interface ScriptPosition {
  readonly lineNumber: number;
  readonly columnNumber: number;
}

export type Paused = Debugger.PausedEventDataType;
export type CallFrame = Debugger.CallFrame;

/** Group of what expressions of the debugger have thrown: released at once, or the inspector keeps errors alive. */
export const FAILURE_GROUP = "mpslab-failure";
