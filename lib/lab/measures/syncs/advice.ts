// Says what to do about a wait, by the call that caused it.

const ADVICE: readonly (readonly [RegExp, string])[] = [
  [/^item$/, "keep the tensor and read it once an epoch, or await itemAsync()"],
  [/^data$/, "await dataAsync(), or read it after the loop"],
  [/^synchronize$/, "synchronize only where a time is taken"],
  [
    /nonzero|masked_select|unique|^index(_put)?_?$/,
    "its shape depends on the values: torch.where keeps the shape and does not wait",
  ],
  [/^(_to_copy|to|copy_|_copy_from)/, "copy with { nonBlocking: true }, or keep the tensor on the device"],
  [
    /equal|is_nonzero|allclose|_local_scalar_dense/,
    "compare on the device, and read one result after the loop",
  ],
];

export function adviceFor(operation: string): string {
  return (
    ADVICE.find(([pattern]) => pattern.test(operation))?.[1] ??
    "the host needs its result: move it out of the loop"
  );
}
