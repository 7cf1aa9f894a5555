// Declares a table of right calls: for each public name the arguments of one call that works, a method's object first.
// They are made anew for each call, since a call may change or dispose what it is given.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { torch, type Tensor } from "../../../../lib/index.ts";

export type RightCalls = Readonly<Record<string, () => readonly unknown[]>>;

export const ones = (...size: number[]): Tensor => torch.ones(size);
export const long = (...values: number[]): Tensor => torch.tensor(values, { dtype: "int64" });
export const leaf = (...size: number[]): Tensor => torch.ones(size, { requiresGrad: true });

/** `{ Linear: ... }` -> `{ "nn.Linear": ... }` */
export function under(space: string, calls: RightCalls): RightCalls {
  return Object.fromEntries(Object.entries(calls).map(([name, call]) => [`${space}.${name}`, call]));
}

/** In the place of an argument that may be whatever the user likes. */
export const anything = Object.freeze({ anything: true });

const data = new WeakSet<object>();
/** An object whose names are the user's, as a state dict: no options. */
export function ofNames<Given extends object>(given: Given): Given {
  data.add(given);
  return given;
}
data.add(anything);
export const isData = (value: unknown): boolean =>
  typeof value === "object" && value !== null && data.has(value);

const folder = mkdtempSync(path.join(tmpdir(), "mpslab-misuse-"));
/** Returns the path for a call that reads or writes a file. */
export const inFolder = (name: string): string => path.join(folder, name);
export const removeFolder = (): void => rmSync(folder, { recursive: true });
