// For any shape and any index, setAt() writes exactly the elements that at() reads, and those are NumPy's. The elements
// are found here by walking over the shape, without the library.
import fc from "fast-check";
import { expect, it } from "vitest";
import { torch } from "../../../../lib/index.ts";
import type { Index } from "../../../../lib/torch/types/indices.ts";

/** One index, and for each dimension that it covers which positions it takes; those of one list go together. */
interface Part {
  readonly index: Index;
  /** Alternatives, each a position in every dimension that the part covers. */
  readonly places: readonly (readonly number[])[];
  /** Lists, tensors and masks run along together; numbers and slices go through all combinations. */
  readonly isChosen: boolean;
}

interface Sample {
  readonly shape: readonly number[];
  readonly parts: readonly Part[];
}

const range = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

const numberPart = (size: number): fc.Arbitrary<Part> =>
  fc.tuple(fc.integer({ min: -size, max: size - 1 }), fc.boolean()).map(([at, isBig]) => ({
    index: isBig ? BigInt(at) : at,
    places: [[(at + size) % size]],
    isChosen: false,
  }));

const slicePart = (size: number): fc.Arbitrary<Part> => {
  const end = fc.option(fc.integer({ min: -size - 2, max: size + 2 }));
  return fc.tuple(end, end, fc.integer({ min: 1, max: 3 })).map(([start, stop, step]) => {
    const clipped = (given: number) => Math.min(Math.max(given < 0 ? given + size : given, 0), size);
    const [first, last] = [clipped(start ?? 0), clipped(stop ?? size)];
    const taken = range(size).filter((at) => at >= first && at < last && (at - first) % step === 0);
    return { index: torch.slice(start, stop, step), places: taken.map((at) => [at]), isChosen: false };
  });
};

const listPart = (size: number, count: number): fc.Arbitrary<Part> =>
  fc
    .tuple(
      fc.array(fc.integer({ min: -size, max: size - 1 }), { minLength: count, maxLength: count }),
      fc.constantFrom("list", "tensor", "array"),
    )
    .map(([list, form]) => ({
      index:
        form === "list"
          ? list
          : form === "array"
            ? new Int32Array(list)
            : torch.tensor(list, { dtype: "int64" }),
      places: list.map((at) => [(at + size) % size]),
      isChosen: true,
    }));

/** A mask of one or more dimensions with as many true elements as lists beside it are long. */
const maskPart = (sizes: readonly number[], count: number): fc.Arbitrary<Part> => {
  const total = sizes.reduce((product, size) => product * size, 1);
  return fc
    .tuple(fc.subarray(range(total), { minLength: count, maxLength: count }), fc.boolean())
    .map(([kept, isTensor]) => {
      const flat = range(total).map((at) => kept.includes(at));
      const mask = torch.tensor(flat, { dtype: "bool" }).reshape([...sizes]);
      return {
        index: isTensor ? mask : (mask.tolist() as boolean[]),
        places: kept.map((at) => positionOf(at, sizes)),
        isChosen: true,
      };
    });
};

const nullPart: fc.Arbitrary<Part> = fc.constant({ index: null, places: [[]], isChosen: false });

function positionOf(at: number, sizes: readonly number[]): number[] {
  const position: number[] = [];
  let rest = at;
  for (const size of sizes.toReversed()) {
    position.unshift(rest % size);
    rest = Math.floor(rest / size);
  }
  return position;
}

/** Parts for the first dimensions of the shape, or for all of them. */
function partsOf(shape: readonly number[], count: number): fc.Arbitrary<Part[]> {
  const [size, next] = shape;
  if (size === undefined)
    return fc.oneof(
      fc.constant<Part[]>([]),
      nullPart.map((part) => [part]),
    );
  const choices: { arbitrary: fc.Arbitrary<Part>; covers: number }[] = [
    { arbitrary: numberPart(size), covers: 1 },
    { arbitrary: slicePart(size), covers: 1 },
    { arbitrary: listPart(size, count), covers: 1 },
    { arbitrary: nullPart, covers: 0 },
  ];
  if (size >= count) choices.push({ arbitrary: maskPart([size], count), covers: 1 });
  if (next !== undefined && size * next >= count)
    choices.push({ arbitrary: maskPart([size, next], count), covers: 2 });
  const further = fc.constantFrom(...choices).chain(({ arbitrary, covers }) =>
    arbitrary.chain((part) => {
      // At most one new dimension in a row, so that the recursion ends.
      const rest =
        covers === 0
          ? slicePart(size).chain((one) => partsOf(shape.slice(1), count).map((more) => [one, ...more]))
          : partsOf(shape.slice(covers), count);
      return rest.map((more) => [part, ...more]);
    }),
  );
  return fc.oneof({ weight: 4, arbitrary: further }, { weight: 1, arbitrary: fc.constant<Part[]>([]) });
}

const sample: fc.Arbitrary<Sample> = fc
  .tuple(fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 4 }), fc.integer({ min: 0, max: 3 }))
  .chain(([shape, count]) => partsOf(shape, count).map((parts) => ({ shape, parts })));

/** The flat positions that NumPy's rules give, in order of size; the same one twice where a list names it twice. */
function elementsOf({ shape, parts }: Sample): number[] {
  const covered = parts.reduce(
    (sum, { places, index }) => sum + (places[0]?.length ?? dimensionsOf(index)),
    0,
  );
  const chosenCount = parts.find(({ isChosen }) => isChosen)?.places.length ?? 1;
  const found: number[] = [];
  for (let run = 0; run < chosenCount; run++) {
    let positions: (readonly number[])[] = [[]];
    for (const { places, isChosen } of parts) {
      const taken = isChosen ? [places[run]!] : places;
      positions = positions.flatMap((before) => taken.map((place) => [...before, ...place]));
    }
    for (const size of shape.slice(covered))
      positions = positions.flatMap((before) => range(size).map((at) => [...before, at]));
    for (const position of positions)
      found.push(position.reduce((flat, at, dim) => flat * shape[dim]! + at, 0));
  }
  return found.toSorted((a, b) => a - b);
}

/** How many dimensions an index without places covers: an empty slice or list one, a mask of nothing its own. */
function dimensionsOf(index: Index): number {
  if (torch.isTensor(index)) return index.dtype === "bool" ? index.ndim : 1;
  return Array.isArray(index) && Array.isArray(index[0]) ? 2 : 1;
}

it("setAt writes exactly what at reads, which is what NumPy reads", () => {
  fc.assert(
    fc.property(sample, (one) => {
      const x = torch.arange(one.shape.reduce((product, size) => product * size, 1)).reshape([...one.shape]);
      const indices = one.parts.map(({ index }) => index);
      const elements = elementsOf(one);
      const read = x.at(...indices);
      expect((read.flatten().tolist() as number[]).toSorted((a, b) => a - b)).toEqual(elements);

      if (indices.length === 0) return;
      const flat = x.flatten().tolist() as number[];
      const written = x.clone().setAt(...(indices as [Index]), -1);
      expect(written.flatten().tolist()).toEqual(flat.map((at) => (elements.includes(at) ? -1 : at)));
      // Each element gets the value that stands in its own place.
      const negated = x.clone().setAt(...(indices as [Index]), read.neg().sub(1));
      expect(negated.flatten().tolist()).toEqual(flat.map((at) => (elements.includes(at) ? -at - 1 : at)));
    }),
    { numRuns: 2000 },
  );
});
