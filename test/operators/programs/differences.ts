// Where a program differs from PyTorch on purpose, and why. Each stands here until it no longer differs.

/** By subject and program: `in_place.someProgram`. */
export const differences: Readonly<Record<string, string>> = {
  "indices.maskOfBytes":
    "PyTorch warns that bytes mask, where other whole numbers choose; here the user says which is meant",
  "optimizers.theSameParameterTwice":
    "PyTorch warns and steps twice; it says itself that this will be an error, and here it is one",
};
