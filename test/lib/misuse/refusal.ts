// Whether an error is one that a user can act on: its class, and one sentence in this library's words.
import * as mpslab from "../../../lib/index.ts";
import { FOREIGN_WORDS } from "../torch/tensor/misuse.ts";

const CLASSES: ReadonlySet<unknown> = new Set([
  Error,
  TypeError,
  RangeError,
  mpslab.DeviceMismatchError,
  mpslab.OutOfMemoryError,
  mpslab.UnavailableError,
  mpslab.UnsupportedOperatorError,
  mpslab.UseAfterDisposeError,
  mpslab.autograd.GradcheckError,
  mpslab.distributed.DistBackendError,
  mpslab.distributed.DistStoreError,
  mpslab.mps.ShaderError,
  mpslab.serialize.SafetensorsError,
  mpslab.serialize.TorchFileError,
]);

/** Texts with which V8 and Node report a value that our own code did not expect. */
const ENGINE_WORDS =
  /Cannot (read|set|convert|destructure|mix|access|use|redefine|define|create|add)|is not (a function|a constructor|iterable|extensible|defined|an Object)|[Uu]ndefined is not|Invalid array length|array buffer|Reduce of empty|circular structure|incompatible receiver|private (field|member|method)|Maximum call stack|Object prototype|must be of type|The "\w+" argument|ENOENT|EISDIR|\[object |Invalid time|Spread syntax|Class extends|before initialization/;

/** Null, or what is wrong with it. */
export function complaint(error: unknown, shown: RegExp | null): string | null {
  if (!(error instanceof Error)) return `threw ${String(error)}, which is no error`;
  const { message } = error;
  const text = `${error.name}: ${message}`;
  if (!CLASSES.has(error.constructor)) return `a class of its own: ${text}`;
  if (FOREIGN_WORDS.test(message)) return `words of libtorch: ${text}`;
  if (ENGINE_WORDS.test(message)) return `words of V8: ${text}`;
  // A shader's error shows the line below its sentence.
  const [sentence = ""] = error instanceof mpslab.mps.ShaderError ? message.split("\n") : [message];
  if (!/[.)]$/.test(sentence)) return `no sentence: ${text}`;
  if (shown !== null && !shown.test(message)) return `does not show what it was given: ${text}`;
  return null;
}
