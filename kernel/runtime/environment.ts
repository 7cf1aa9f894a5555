// Reports PyTorch's environment variables that a cell has changed, through `process.env` or %env, when the cell ends.
// libtorch reads its variables when it is loaded, so a later change may have no effect.
import { noteOnVariable } from "../../lib/torch/devices/mps/environment_variables.ts";

const PYTORCH = /^(PYTORCH_|MTL_CAPTURE_)/;

const variables = (): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(process.env).flatMap(([name, value]) => (PYTORCH.test(name) ? [[name, value!]] : [])),
  );

/** Call before a cell. The returned function gives the notes on what has changed since; most cells have none. */
export function watchEnvironment(): () => string[] {
  const before = variables();
  return () => {
    const after = variables();
    return [...new Set([...before.keys(), ...after.keys()])].flatMap((name) => {
      const value = after.get(name);
      if (before.get(name) === value) return [];
      const note = noteOnVariable(name, value, process.env);
      return note === null ? [] : [note];
    });
  };
}
