// V8's inspector as the debugger sees it: commands go to the session's worker thread, and results come back.
import type { Debugger } from "node:inspector";

/** @throws Error with V8's message */
export type AskInspector = <Result = unknown>(method: string, params?: object) => Promise<Result>;

/** 0-based, as V8 counts. */
export interface ScriptPosition {
  readonly lineNumber: number;
  readonly columnNumber: number;
}

export type Paused = Debugger.PausedEventDataType;
export type CallFrame = Debugger.CallFrame;

/**
 * The inspector's object group for errors that the debugger's expressions have thrown. It is released at once, because
 * the inspector would keep the errors alive.
 */
export const FAILURE_GROUP = "mpslab-failure";
