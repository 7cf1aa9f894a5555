// Reads which operators the installed PyTorch has Metal kernels for, from the `dispatch:` entries of
// `native_functions.yaml`.

/** The part of an entry that this reader uses. */
export interface DispatchEntry {
  readonly func: string;
  /** For example `CPU, CUDA: add`. */
  readonly dispatch?: Readonly<Record<string, string>>;
  /** The `out=` overload whose kernel computes this one. */
  readonly structured_delegate?: string;
}

export interface MetalSupport {
  /** Operators with a kernel for MPS, overloads included: `add.out`. */
  readonly native: readonly string[];
  /** Operators with a kernel for the CPU that have neither a kernel on Metal nor a composition of other operators. */
  readonly missing: readonly string[];
  /** Operators on sparse Metal tensors that use the same function as all devices. */
  readonly sparse: readonly string[];
  /** Operators on sparse Metal tensors with a function of Metal's own. */
  readonly ownSparse: readonly string[];
}

export function readMetalSupport(entries: readonly DispatchEntry[]): MetalSupport {
  const nameOf = (entry: DispatchEntry) => entry.func.slice(0, entry.func.indexOf("("));
  const keysOf = (entry: DispatchEntry) =>
    Object.keys(entry.dispatch ?? {}).flatMap((key) => key.split(/, */));
  const isComposed = (entry: DispatchEntry) => keysOf(entry).some((key) => key.startsWith("Composite"));
  const native = new Set<string>();
  const missing = new Set<string>();
  for (const entry of entries) {
    if (keysOf(entry).includes("MPS")) native.add(nameOf(entry));
    else if (keysOf(entry).includes("CPU") && !isComposed(entry)) missing.add(nameOf(entry));
  }
  for (const entry of entries) {
    if (entry.structured_delegate === undefined || isComposed(entry)) continue;
    for (const support of [native, missing])
      if (support.has(entry.structured_delegate)) support.add(nameOf(entry));
  }
  const sparse: string[] = [];
  const ownSparse: string[] = [];
  for (const entry of entries) {
    const keys = Object.keys(entry.dispatch ?? {}).map((key) => key.split(/, */));
    const together = keys.find((names) => names.includes("SparseMPS"));
    if (together !== undefined) (together.includes("SparseCPU") ? sparse : ownSparse).push(nameOf(entry));
  }
  return {
    native: [...native].sort(),
    missing: [...missing].sort(),
    sparse: sparse.sort(),
    ownSparse: ownSparse.sort(),
  };
}
