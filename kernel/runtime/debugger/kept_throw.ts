// Keeps the state at an error for `%debug`: the frames of the call stack, and the variables of each. The adapter in the
// kernel process calls `keepFrame` in every frame, innermost first, while V8 is paused at the throw, and then `keepThrow`.
import { lowerExpression } from "../../cell/transform/expression.ts";
import { MagicError } from "../../magics/handler.ts";
import type { ThrownSide } from "../../magics/session_side.ts";
import { bundleOf } from "../output/display.ts";
import { type NamedReader, shownVariable } from "./shown_values.ts";

interface FramePlace {
  /** The function, or the cell. */
  readonly name: string;
  /** `Cell [3]:5` */
  readonly place: string;
  /** The line's text. */
  readonly text: string;
}

interface KeptFrame extends FramePlace {
  /** Null in a frame that is suspended at an `await`: V8 does not show its variables. */
  readonly variables: ReadonlyMap<string, unknown> | null;
}

interface KeptThrow {
  readonly failure: string;
  readonly frames: readonly KeptFrame[];
}

let kept: KeptThrow | null = null;
let frames: KeptFrame[] = [];

/** @returns nothing, because the inspector would describe the result */
export function keepFrame(place: FramePlace, readers: readonly NamedReader[] | null): void {
  frames.push({ ...place, variables: readers === null ? null : new Map(readers.flatMap(readValue)) });
}

/** The frames are complete. @param failure `RangeError: boom` */
export function keepThrow(failure: string): void {
  kept = { failure, frames };
  frames = [];
}

export function forgetThrow(): void {
  kept = null;
  frames = [];
}

/** A name in its temporal dead zone has no value. */
function readValue([name, read]: NamedReader): [string, unknown][] {
  try {
    return [[name, read()]];
  } catch {
    return [];
  }
}

export const thrown: ThrownSide = {
  describe,
  evaluate: async (number, expression) => {
    const { variables } = frameAt(number);
    const names = [...(variables?.keys() ?? [])];
    // A function made by `Function` sees the notebook's variables, as the code at the throw did.
    const evaluate = new Function(...names, `"use strict"; return ${lowerExpression(expression)};`);
    const value: unknown = evaluate(...(variables?.values() ?? []));
    return await bundleOf(value);
  },
};

function describe(number: number): string | null {
  if (kept === null) return null;
  const { name, variables } = frameAt(number);
  const width = (texts: readonly string[]): number => Math.max(0, ...texts.map(({ length }) => length));
  const nameWidth = width(kept.frames.map((frame) => frame.name));
  const placeWidth = width(kept.frames.map((frame) => frame.place));
  const stack = kept.frames.map((frame, index) => {
    const mark = index === number - 1 ? ">" : " ";
    const columns = [frame.name.padEnd(nameWidth), frame.place.padEnd(placeWidth), frame.text];
    return `${mark} ${index + 1}  ${columns.join("  ")}`.trimEnd();
  });
  return `${[kept.failure, ...stack, "", ...variableLines(name, variables)].join("\n")}\n`;
}

function variableLines(name: string, variables: KeptFrame["variables"]): string[] {
  if (variables === null) return [`${name} awaits: its variables are not kept.`];
  if (variables.size === 0) return [`${name} has no variables.`];
  const nameWidth = Math.max(...[...variables.keys()].map(({ length }) => length));
  const lines = [...variables].map(
    ([key, value]) => `  ${key.padEnd(nameWidth)}  ${shownVariable([key, () => value]).value}`,
  );
  return [`Variables of ${name} at the throw:`, ...lines];
}

/** @throws MagicError */
function frameAt(number: number): KeptFrame {
  const frame = kept?.frames[number - 1];
  if (frame === undefined) {
    throw new MagicError(
      `%debug -f ${number}: the call stack has only ${kept?.frames.length ?? 0} frames of yours; 1 is the innermost.`,
    );
  }
  return frame;
}
