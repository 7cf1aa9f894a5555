// The misuse matrix: one test for each public call and each wrong thing, with the error's class and text.
import { expect, it } from "vitest";

/** Text that is meant for libtorch's own developers. */
export const FOREIGN_WORDS =
  /INTERNAL ASSERT|report a bug|Exception raised from|TORCH_CHECK|IValue|c10::|at::|\.cpp|\.h:\d|Expected `?\w+ == \w+|std::|0x[0-9a-f]{6}/;

export type Misuse = readonly [
  what: string,
  call: () => unknown,
  kind: "TypeError" | "RangeError" | "Error" | "UseAfterDisposeError",
  message: string,
];

function thrownBy(call: () => unknown): unknown {
  try {
    call();
  } catch (error) {
    return error;
  }
  return undefined;
}

/** `message` is the whole text, or its beginning where it ends in `...`. */
export function refuses(matrix: readonly Misuse[]): void {
  for (const [what, call, kind, message] of matrix) {
    it(`refuses ${what}`, () => {
      const error = thrownBy(call) as Error | undefined;
      expect(error?.name).toBe(kind);
      if (message.endsWith("..."))
        expect(error?.message.startsWith(message.slice(0, -3)), error?.message).toBe(true);
      else expect(error?.message).toBe(message);
    });
  }
}
