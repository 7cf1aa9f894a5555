// Defines the error for a refused file of torch.save.

/** The file is damaged, made to mislead, or holds what this library does not read. Nothing of it is loaded. */
export class TorchFileError extends Error {
  override readonly name = "TorchFileError";
}

export function fail(reason: string): never {
  throw new TorchFileError(reason);
}
