// Computes the device of an operator's result, and refuses operands on two devices that do not go together.
import type { DeviceName } from "../vocabulary/device_name.ts";
import type { NoProblem } from "./refusal.ts";
import type { DeviceOf, OperandShapeOf, ShapeOf } from "./tensor_of.ts";
import type { Dimensioned } from "./arithmetic/text.ts";

/** `"mps:0"` -> `"mps"`. Indices are compared at run time, because `cuda` may be any of several. */
type Kind<Device> = Device extends `${infer Name}:${number}` ? Name : Device;

/** The problem of an operator that does not move its tensors, such as a product: `"cpu"` and `"mps"` -> a sentence. */
export type DeviceProblem<Operator extends string, A, B> = NamesProblem<Operator, DeviceOf<A>, DeviceOf<B>>;

/** Compares names first, which are mostly equal: matching kinds costs a step for each device that is possible. */
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
