// Starts, feeds, interrupts and ends the session process, and says what was lost when it dies. Knows messages and
// processes, not Jupyter.
import type { FromSession, RunRequest, ToSession } from "./channel.ts";

export type Done = Extract<FromSession, { type: "done" }>;

export interface SupervisorEvents {
  /** Everything that the session reports but `done`, in order. */
  message(message: FromSession): void;
  /** The process ended without being asked to. A cell that was running has its `done` with an error before this. */
  died(reason: string): void;
}

export declare class Supervisor {
  /** `directory`: the notebook's folder. The process starts at once, so that the first cell finds it ready. */
  constructor(directory: string, events: SupervisorEvents);
  /** Resolves when the cell has ended and all its output was given to `events.message`; never rejects. */
  run(request: RunRequest): Promise<Done>;
  /** Stops the running cell, its state kept. Harmless when nothing runs. */
  interrupt(): void;
  send(message: Exclude<ToSession, RunRequest>): void;
  /** What is known of a live value, or null. Answers only between cells and at awaits. */
  inspect(expression: string): Promise<string | null>;
  /** Ends the process and waits until it is gone. */
  close(): Promise<void>;
}
