// The call type of a module without its own signature: its forward's. Types only.

/** Called with what its forward takes, for what that gives. */
export interface CalledAsForward {
  (...inputs: InputsOf<this>): OutputOf<this>;
}

type InputsOf<Called> = Called extends { forward(...inputs: infer Inputs): any } ? Inputs : never;
type OutputOf<Called> = Called extends { forward(...inputs: any): infer Output } ? Output : never;
