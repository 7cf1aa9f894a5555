// Reads the arguments of the functions in `init.ts`: numbers by position, or by name in a last object, which may also
// hold a generator.
import { describe } from "../../vocabulary/arguments.ts";
import { argumentsByName } from "../../vocabulary/arguments_by_name.ts";
import { Generator } from "../../random/generator.ts";

export interface GeneratorOptions {
  /** Draws the random numbers in place of the device's own generator. Default: none. */
  readonly generator?: Generator;
}

/** `(weight, 0, { mode: "fanOut" })` -> `{ a: 0, mode: "fanOut" }`: what follows the tensor, by name. */
export function fillingArguments<Named extends object>(
  call: string,
  places: readonly (keyof Named & string)[],
  given: readonly unknown[],
): Partial<Named> & GeneratorOptions {
  const named: Partial<Named> & GeneratorOptions = argumentsByName<Named & GeneratorOptions>(
    call,
    // A generator alone is no options.
    { first: "tensor", places, options: ["generator"], isValue: (value) => value instanceof Generator },
    given,
  );
  const { generator } = named;
  if (generator !== undefined && !(generator instanceof Generator))
    throw new TypeError(
      `${call}: generator must be made by new torch.Generator(), got ${describe(generator)}.`,
    );
  return named;
}
