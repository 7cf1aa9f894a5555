// The type of a captured step as the addon holds it.

/** What `endCapture` gives: the addon alone looks into it. */
export type CapturedProgram = object & { readonly __captured: unique symbol };
