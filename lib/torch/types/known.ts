// How what is known of a tensor tells one kind of tensor from another, and yet hinders no assignment. Pure types; knows
// no operator.
//
//     torch.zeros([2, 3])                  Tensor<[2, 3], "float32">: on whatever device is the default
//     torch.zeros([rows, 3])               Tensor<[number, 3], "float32">
//     (x: Tensor) => x                     Tensor<number[], DType, DeviceName>: all open, shown as `Tensor`
//
// Knowledge refuses operators that cannot run and nothing else. TypeScript widens `let n = 2` to number, and has no such
// rule for `let x = torch.zeros([2])`; so every tensor may be assigned to every other one, whatever is known of the two.
// Each kind of tensor therefore has a key of its own, which is optional: assignability does not ask for it, while in
// unions and arrays the kinds stay apart.
import type { DeviceName, DType } from "../native.ts";

/** Under it lies what is known. Types alone: no tensor has it when it runs. */
declare const KNOWN: unique symbol;

/** Under it lies what is known, to be read. */
export declare const FACTS: unique symbol;

export interface Facts<Shape, Type, Device> {
  readonly shape: Shape;
  readonly dtype: Type;
  readonly device: Device;
}

/** May stand for everything that is told. */
interface Anything {
  (): never;
}

interface Told<Known> {
  (known: Known): void;
}

/** What a tensor says under `FACTS`: to be read, and no hindrance to an assignment. */
export type Says<Known> = Anything & Told<Known>;

/**
 * What says something: every tensor. The property is not optional, although no tensor has it when it runs: against a
 * type of which all is optional the checker first looks for a property in common, name by name, among nine hundred.
 */
export interface Telling<Known> {
  readonly [FACTS]: Told<Known>;
}

/**
 * Any tensor, by the one property that tells it from all else: an argument is compared with this and not with nine
 * hundred members. The compiler shows it as `Tensor`, which it is.
 */
export interface Tensor {
  readonly [FACTS]: Says<Facts<null, DType, DeviceName>>;
}

export interface Carrier<Text, Type, Device> {
  readonly [KNOWN]?: Keyed<Text, Type, Device>;
}

/** `{ tensor?: never; "2,3, float32 cpu"?: never }`: never, since no tensor has any of it. */
type Keyed<Text, Type, Device> = { readonly [Key in "tensor" | Label<Text, Type, Device>]?: never };

type Label<Text, Type, Device> =
  `${Text extends string ? Text : "?"} ${LiteralText<Type, DType>} ${LiteralText<Device, DeviceName>}`;

/** A lone name, and "?" where it could be several. */
type LiteralText<Name, All> = [All] extends [Name] ? "?" : Name & string;
