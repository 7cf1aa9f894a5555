// The type of a captured step as the addon holds it.

/** What `endCapture` returns. Only the addon looks into it. */
export type CapturedProgram = object & { readonly __captured: unique symbol };
