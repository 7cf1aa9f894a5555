// Checks the options of this library's controls: unknown names are refused. Like `checkOptions` in
// lib/torch/vocabulary, which widgets cannot use because they do not depend on lib/torch.
import { inspect } from "node:util";

/** @throws TypeError for what is no object, and for a name that the control does not have */
export function checkOptions<Options extends object>(
  control: string,
  options: Options,
  names: readonly (keyof Options & string)[],
): Options {
  if (typeof options !== "object" || options === null || (options as object) instanceof Date)
    throw new TypeError(
      `The options of a ${control} are an object such as { ${names[0]}: ... }, not ${inspect(options)}.`,
    );
  const unknown = Object.keys(options).find((name) => !(names as readonly string[]).includes(name));
  if (unknown === undefined) return options;
  throw new TypeError(`A ${control} has no option ${unknown}; it has ${names.join(", ")}.`);
}

/** @throws TypeError for what is no text */
export function checkLabel(control: string, label: unknown): void {
  if (typeof label === "string") return;
  throw new TypeError(`The label of a ${control} is a text, not ${inspect(label)}.`);
}
