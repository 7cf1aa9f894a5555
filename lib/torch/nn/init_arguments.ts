// How the fillings of `init.ts` are called: numbers by their places, or by their names in a last object, which may hold a
// generator too. Knows no filling.
import { checkOptions, describe, isRecord } from "../arguments.ts";
import { Generator } from "../generator.ts";

export interface Drawing {
  /** Draws the random numbers in place of the device's own generator. */
  readonly generator?: Generator;
}

/** `(weight, 0, { mode: "fanOut" })` -> `{ a: 0, mode: "fanOut" }`: what follows the tensor, by name. */
export function argumentsByName<Named extends object>(
  call: string,
  names: readonly (keyof Named & string)[],
  given: readonly unknown[],
): Partial<Named> & Drawing {
  if (given.length > names.length + 1)
    throw new TypeError(
      `${call} takes at most ${names.length + 1} arguments and options, and got ${given.length + 1}: (tensor, ${names.join(", ")}, { generator }).`,
    );
  const last = given.at(-1);
  // What stands in the options' place is to be options, and a generator alone is none.
  const isOptions = given.length > names.length || (isRecord(last) && !(last instanceof Generator));
  const positional = isOptions ? given.slice(0, -1) : given;
  const read = checkOptions<Record<string, unknown>>(
    call,
    isOptions ? (last as Record<string, unknown> | undefined) : undefined,
    [...names.slice(positional.length), "generator"],
  );
  const { generator } = read;
  if (generator !== undefined && !(generator instanceof Generator))
    throw new TypeError(
      `${call}: generator must be made by new torch.Generator(), got ${describe(generator)}.`,
    );
  const byPlace = positional.map((value, at) => [names[at], value] as const);
  return { ...(Object.fromEntries(byPlace) as Partial<Named>), ...(read as Partial<Named> & Drawing) };
}
