// Lists what a Metal device cannot be asked. PyTorch refuses it there as well, with these words. Does not know the
// samples.
const LACKING: Readonly<Record<string, RegExp>> = {
  "float64, which Metal lacks": /doesn't support float64|ComplexDouble to the MPS backend/,
  "an operator that PyTorch has no Metal kernel of":
    /The operator 'aten::[\w.]+' is not currently implemented for the MPS device/,
  "tensors of a layout that simulated Metal or PyTorch lacks there":
    /SparseMPS|SparseCsrMPS|only strided tensors are supported/,
};

/** Returns what a Metal device lacks by an error's text, or null if the error has another reason. */
export function lackingOn(text: string): string | null {
  return Object.keys(LACKING).find((lacking) => LACKING[lacking]!.test(text)) ?? null;
}
