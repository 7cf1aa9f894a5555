// Holds the programs that `mpslab replay` runs in a session after its notebook: cells in TypeScript that the notebook
// does not keep. Their answers are JSON on stdout.

/** Lists the names that cells declared. */
export const NAMES = "%who";

/** Backward passes so far. Without the library it answers 0, and loads nothing. */
export const STEPS = 'console.log((globalThis as any)[Symbol.for("mpslab.replayRecord")]?.steps() ?? 0);';

/**
 * Prints machine, first losses, tensors and epochs. The program is a function, so that it declares nothing in the
 * notebook, and so that its own names do not hide the variables in its arguments.
 *
 * @param names variables of the notebook
 */
export function fingerprintProgram(names: readonly string[]): string {
  return PROGRAM.replace("NAMES_HERE", () =>
    names.map((name) => `[${JSON.stringify(name)}, ${name}]`).join(", "),
  );
}

const PROGRAM = `
await (async (named: [string, any][]): Promise<void> => {
  const { torch, lab, nn } = await import("mpslab");
  const { createHash } = await import("node:crypto");
  const record = (globalThis as any)[Symbol.for("mpslab.replayRecord")];
  const found: Record<string, object> = {};
  // A flush collects all garbage, so this counts what the notebook itself keeps. V8 keeps an object that a WeakRef
  // returned alive until the turn of the event loop ends, so the second flush is in a later turn.
  lab.flush();
  await new Promise((resolve) => setTimeout(resolve, 100));
  const heldBytes = lab.flush().after.allocatedBytes;
  const fingerprint = (name: string, value: any): void => {
    // A module can be called, and typeof gives "function" for it.
    if (value === null || (typeof value !== "object" && typeof value !== "function")) return;
    if (value instanceof torch.Tensor) {
      if (value.isDisposed) return;
      const host = value.detach().to("cpu").contiguous().flatten();
      const bits = host.view("uint8").data() as Uint8Array;
      const real = !["complex64", "complex128"].includes(value.dtype);
      const sum = real ? String(host.to("float64").sum().item()) : null;
      const size = real ? String(host.to("float64").abs().sum().item()) : null;
      // This sum differs if the same values are in another order.
      const weights = real ? torch.linspace(0, 1, host.numel(), { dtype: "float64", device: "cpu" }) : null;
      const order = weights === null ? null : String(host.to("float64").mul(weights).sum().item());
      const sha256 = createHash("sha256").update(bits).digest("hex");
      found[name] = { shape: value.shape.join("x"), dtype: value.dtype, sha256, sum, size, order };
    } else if (value instanceof nn.Module) {
      for (const [part, parameter] of value.namedParameters()) fingerprint(name + "." + part, parameter);
    }
  };
  for (const [name, value] of named) torch.noGrad(() => fingerprint(name, value));
  const epochs = lab.ledger.epochs.map(({ loop, epoch, collection, after, fallbacks }) => ({
    loop, epoch, fallbacks,
    // The bytes after a minor collection depend on timing.
    allocatedBytes: collection === "full" ? after.allocatedBytes : null,
  }));
  const losses = record.losses().map((loss: number) => (Number.isFinite(loss) ? loss : null));
  const all = { machine: record.machine(), losses, heldBytes, tensors: found, epochs };
  console.log(JSON.stringify(all));
})([NAMES_HERE]);
`;
