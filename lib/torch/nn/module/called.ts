// The call type of a module without its own signature: its forward's. Types only.

/** A call takes the inputs of the module's forward and returns its output. */
export interface CalledAsForward {
  (...inputs: InputsOf<this>): OutputOf<this>;
}

type InputsOf<Called> = Called extends { forward(...inputs: infer Inputs): any } ? Inputs : never;
type OutputOf<Called> = Called extends { forward(...inputs: any): infer Output } ? Output : never;
