// How a module is called that has no signature of its own: by its forward. Pure types.
import type { Module as Base } from "./base.ts";

/** Called with what its forward takes, for what that gives. */
export interface CalledAsForward {
  (...inputs: InputsOf<this>): OutputOf<this>;
}

type InputsOf<Called> = Called extends { forward(...inputs: infer Inputs): any } ? Inputs : never;
type OutputOf<Called> = Called extends { forward(...inputs: any): infer Output } ? Output : never;

/** An instance of a user's class. It bears the name that messages show for the class that it extends. */
export interface Module extends Base, CalledAsForward {}
