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

/** Group of what the debugger fetches during a pause; released when it ends, or the inspector keeps tensors alive. */
export const PAUSE_GROUP = "mpslab-pause";
