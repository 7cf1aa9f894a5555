// Decides which rank writes which tensor of a checkpoint, and into what file. Every rank computes the same.
import { bytesOf, type DType } from "../../vocabulary/dtype.ts";
import { shapeText } from "../../vocabulary/arguments.ts";

/** What a rank reports about a tensor that it has. */
export type Described = readonly [name: string, dtype: DType, shape: readonly number[]];

export interface Layout {
  /** The file of each tensor, by the tensor's name. */
  readonly files: Readonly<Record<string, string>>;
  /** The file that each rank of the group writes; null for one that has nothing to write. */
  readonly fileOf: readonly (string | null)[];
  readonly totalBytes: number;
}

interface Held extends Readonly<{ dtype: DType; shape: readonly number[] }> {
  readonly bytes: number;
  readonly holders: number[];
}

const text = ({ dtype, shape }: Pick<Held, "dtype" | "shape">): string => `${dtype} ${shapeText(shape)}`;

/**
 * Assigns tensors that several ranks have: the largest tensor first, each to the rank that has the fewest bytes so far.
 *
 * @param lists what each rank of the group has
 * @param stem the beginning of the files' names
 * @throws TypeError if two ranks have different tensors of one name
 */
export function layOut(call: string, lists: readonly (readonly Described[])[], stem: string): Layout {
  const held = new Map<string, Held>();
  for (const [rank, list] of lists.entries()) {
    for (const [name, dtype, shape] of list) {
      const known = held.get(name);
      if (known && text(known) !== text({ dtype, shape }))
        throw new TypeError(
          `${call}: ${JSON.stringify(name)} is ${text(known)} on rank ${known.holders[0]} of the group, and ${text({ dtype, shape })} on rank ${rank}: give other tensors other names.`,
        );
      if (known) known.holders.push(rank);
      else
        held.set(name, {
          dtype,
          shape,
          bytes: shape.reduce((product, size) => product * size, bytesOf(dtype)),
          holders: [rank],
        });
    }
  }
  const bytes = lists.map(() => 0);
  const writers = new Map<string, number>();
  const largestFirst = [...held].toSorted(
    ([a, { bytes: x }], [b, { bytes: y }]) => y - x || (a < b ? -1 : 1),
  );
  for (const [name, tensor] of largestFirst) {
    const writer = tensor.holders.reduce((min, rank) => (bytes[rank]! < bytes[min]! ? rank : min));
    writers.set(name, writer);
    bytes[writer]! += tensor.bytes;
  }
  const writing = lists.map((_, rank) => rank).filter((rank) => [...writers.values()].includes(rank));
  const padded = (number: number): string => String(number).padStart(5, "0");
  const fileOf = lists.map((_, rank) => {
    const at = writing.indexOf(rank);
    return at < 0 ? null : `${stem}-${padded(at + 1)}-of-${padded(writing.length)}.safetensors`;
  });
  return {
    files: Object.fromEntries([...writers].map(([name, writer]) => [name, fileOf[writer]!])),
    fileOf,
    totalBytes: bytes.reduce((sum, some) => sum + some, 0),
  };
}
