// Decides how many bytes a reader may allocate for its input: a file of some kilobytes may claim to hold, or unpack to,
// any number. Knows no format.
import { availableBytes } from "./platform/available_memory.ts";
import { formatBytes } from "./units.ts";

const VARIABLE = "MPSLAB_MAX_BYTES";
const OPTION = "maxBytes";
/** The limit if the system does not say how much memory is free. */
const UNKNOWN_BYTES = 4 * 2 ** 30;

export interface SizeLimit {
  readonly bytes: number;
  /** `half of the memory that is free` */
  readonly origin: string;
}

/**
 * The limit that the call gives, or else the environment, or else half of the free memory. @param given `maxBytes` of
 * the call
 */
export function sizeLimit(given?: number): SizeLimit {
  if (given !== undefined) return { bytes: given, origin: OPTION };
  const named = Number(process.env[VARIABLE]);
  if (named > 0) return { bytes: named, origin: VARIABLE };
  const free = availableBytes();
  return free === null
    ? { bytes: UNKNOWN_BYTES, origin: "the limit where the free memory is not known" }
    : { bytes: Math.floor(free / 2), origin: "half of the memory that is free" };
}

/** `12 GiB, which is half of the memory that is free; if that is meant, set MPSLAB_MAX_BYTES` */
export const limitText = ({ bytes, origin }: SizeLimit): string =>
  `${formatBytes(bytes)}, which is ${origin}; if that is meant, ${origin === OPTION ? `give a larger ${OPTION}` : `set ${VARIABLE}`}`;

/**
 * @param does the beginning of the sentence: `a.csv.gz unpacks to`
 */
export function tooLarge(call: string, does: string, limit: SizeLimit): RangeError {
  return new RangeError(`${call}: ${does} more than ${limitText(limit)}.`);
}
