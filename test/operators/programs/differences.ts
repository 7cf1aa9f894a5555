// Where a program differs from PyTorch on purpose, and why. Each stands here until it no longer differs.

/** By subject and program: `in_place.someProgram`. */
export const differences: Readonly<Record<string, string>> = {};
