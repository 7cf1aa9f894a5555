// Reads and checks the record that `lab.buckets` compares with: a plain object, or a JSON file that another program
// wrote.
import { checkInteger, describe, isRecord } from "../../../torch/vocabulary/arguments.ts";
import { readJsonFile } from "../../../whole_file.ts";

/** The time of one step of fixed shapes. */
export interface RecordedBucket {
  readonly batch: number;
  readonly sequence: number;
  /** Milliseconds of one warm step, until the device had finished it. */
  readonly ms: number;
}

/** Times from another framework or machine. Other fields of the record are ignored. */
export interface BucketsRecord {
  /** `M2 Ultra, MLX 0.20, 2026-11-20`. */
  readonly source: string;
  /** No two have the same batch and sequence length. */
  readonly buckets: readonly RecordedBucket[];
}

export const bucketName = ({ batch, sequence }: Pick<RecordedBucket, "batch" | "sequence">): string =>
  `batch ${batch}, sequence ${sequence}`;

const FORM = '{ source: "M2, MLX 0.20", buckets: [{ batch: 1, sequence: 128, ms: 12 }] }';

/** @throws TypeError, RangeError for an invalid record, Error for a file that cannot be read */
export function readRecord(call: string, given: unknown): BucketsRecord {
  const record = typeof given === "string" ? readJson(call, given) : given;
  const where = typeof given === "string" ? `record ${JSON.stringify(given)}` : "record";
  if (!isRecord(record))
    throw new TypeError(
      `${call}: ${where} must be ${FORM}${typeof given === "string" ? "" : ", or the path of a JSON file that holds it"}, got ${describe(record)}.`,
    );
  const { source, buckets } = record;
  if (typeof source !== "string" || source.trim() === "")
    throw new TypeError(
      `${call}: ${where}: source must name the machine and the framework, as "M2, MLX 0.20", got ${describe(source)}.`,
    );
  if (!Array.isArray(buckets) || buckets.length === 0)
    throw new TypeError(
      `${call}: ${where}: buckets must be a list such as [{ batch: 1, sequence: 128, ms: 12 }], got ${describe(buckets)}.`,
    );
  const read = Array.from(buckets, (bucket, at) => readBucket(call, `${where}: buckets[${at}]`, bucket));
  const seen = new Map<string, number>();
  for (const [at, bucket] of read.entries()) {
    const name = bucketName(bucket);
    if (seen.has(name))
      throw new RangeError(
        `${call}: ${where}: buckets[${seen.get(name)}] and buckets[${at}] are both ${name}: keep one of them.`,
      );
    seen.set(name, at);
  }
  return { source, buckets: read };
}

function readBucket(call: string, where: string, bucket: unknown): RecordedBucket {
  if (!isRecord(bucket))
    throw new TypeError(
      `${call}: ${where} must be { batch: 1, sequence: 128, ms: 12 }, got ${describe(bucket)}.`,
    );
  const batch = checkInteger(call, `${where}.batch`, bucket["batch"], 1);
  const sequence = checkInteger(call, `${where}.sequence`, bucket["sequence"], 1);
  const { ms } = bucket;
  if (typeof ms !== "number")
    throw new TypeError(`${call}: ${where}.ms must be a number of milliseconds, got ${describe(ms)}.`);
  if (!(ms > 0 && ms < Infinity))
    throw new RangeError(`${call}: ${where}.ms must be milliseconds above 0, got ${ms}.`);
  return { batch, sequence, ms };
}

function readJson(call: string, file: string): unknown {
  const refusal = (why: string, cause: unknown) =>
    new TypeError(`${call}: ${JSON.stringify(file)} ${why}: write ${FORM} with json.dump.`, { cause });
  return readJsonFile(call, file, refusal);
}
