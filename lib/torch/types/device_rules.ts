// Computes the device of an operator's result, and refuses operands on two devices that do not go together.
import type { DeviceName } from "../vocabulary/device_name.ts";
import type { DType, LackedByMps, MpsName } from "../vocabulary/dtype.ts";
import type { NoProblem } from "./refusal.ts";
import type { DeviceOf, DTypeOf, OperandShapeOf, ShapeOf } from "./tensor_of.ts";
import type { Dimensioned } from "./arithmetic/text.ts";

/** `"mps:0"` -> `"mps"`. Indices are compared at run time, because `cuda` may stand for any of several devices. */
type Kind<Device> = Device extends `${infer Name}:${number}` ? Name : Device;

/** The problem of an operator that does not move its tensors, such as a product: `"cpu"` and `"mps"` -> a sentence. */
export type DeviceProblem<Operator extends string, A, B> = NamesProblem<Operator, DeviceOf<A>, DeviceOf<B>>;

/** Compares names first, because they are mostly equal: comparing kinds takes a step for each possible device. */
type NamesProblem<Operator extends string, A, B> = A extends B
  ? NoProblem
  : B extends A
    ? NoProblem
    : KindProblem<Operator, Kind<A>, Kind<B>>;

type KindProblem<Operator extends string, A, B> = A extends B
  ? NoProblem
  : B extends A
    ? NoProblem
    : `${Operator}: one tensor is on ${A & string}, the other on ${B & string}; .to("${A & string}") moves it`;

/** A tensor without dimensions goes with any device, as a number does; one of unknown shape may be such a tensor. */
export type ElementwiseDeviceProblem<Operator extends string, A, B> = DimensionedDeviceProblem<
  Operator,
  ShapeOf<A>,
  OperandShapeOf<B>,
  A,
  B
>;

type DimensionedDeviceProblem<Operator extends string, S, T, A, B> = S extends Dimensioned
  ? T extends Dimensioned
    ? DeviceProblem<Operator, A, B>
    : NoProblem
  : NoProblem;

/** The device of the result: `"cpu"` and `"cpu"` -> `"cpu"`; `"mps"` and unknown -> `"mps"`; unknown twice -> unknown */
export type CommonDevice<A, B> = Placed<DeviceOf<A>, ShapeOf<A>, DeviceOf<B>, OperandShapeOf<B>>;

type Placed<A, SizesOfA, B, SizesOfB> = DeviceName extends A
  ? DeviceName extends B
    ? DeviceName
    : Leads<B, SizesOfB>
  : DeviceName extends B
    ? Leads<A, SizesOfA>
    : A extends B
      ? A
      : SizesOfA extends ""
        ? SizesOfB extends ""
          ? Exclude<A | B, "cpu">
          : B
        : A;

/** A lone value on the CPU follows the other tensor; all else stays where it is. */
type Leads<Device, Sizes> = Device extends "cpu" ? (Sizes extends Dimensioned ? Device : DeviceName) : Device;

/** The problem of `x.to(target)`: `"mpz"`, or mps for a tensor whose numbers it lacks, and such numbers for one that is there. */
export type MoveProblem<A, Target> = Target extends DeviceName
  ? LackSentence<"to", ShapeOf<A>, Target, DTypeOf<A>>
  : Target extends DType
    ? LackSentence<"to", ShapeOf<A>, DeviceOf<A>, Target>
    : TargetProblem<Target>;

/**
 * The problem of `x.to(target)` and `model.to(target)` with a text that names no device. None if the text is not known.
 */
export type TargetProblem<Target> = Target extends DeviceName | DType
  ? NoProblem
  : Target extends string
    ? string extends Target
      ? NoProblem
      : `to: "${Target}" is no device and no dtype: devices are "cpu", "mps" and "cuda", and dtypes such as "float32"`
    : NoProblem;

/** The problem of a tensor's numbers as those of a dtype on a device. One of unknown shape has no problem: see `refusal.ts`. */
export type LackProblem<Call extends string, A, Device, Type> = LackSentence<Call, ShapeOf<A>, Device, Type>;

type LackSentence<
  Call extends string,
  S,
  Device,
  Type,
  IsKnown = DType extends Type ? false : true,
> = S extends string
  ? IsKnown extends true
    ? Device extends MpsName
      ? Type extends LackedByMps
        ? `${Call}: ${Device} has no ${Type}; .float() converts to float32, which it has`
        : NoProblem
      : NoProblem
    : NoProblem
  : NoProblem;
