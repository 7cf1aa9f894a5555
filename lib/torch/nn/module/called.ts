// How a module is called that has no signature of its own: by its forward. Pure types.

/** Called with what its forward takes, for what that gives. */
export interface CalledAsForward {
  (...inputs: InputsOf<this>): OutputOf<this>;
}

type InputsOf<Called> = Called extends { forward(...inputs: infer Inputs): any } ? Inputs : never;
type OutputOf<Called> = Called extends { forward(...inputs: any): infer Output } ? Output : never;
