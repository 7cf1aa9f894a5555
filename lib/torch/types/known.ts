// How what is known of a tensor lies beside its members, and hinders no assignment. Pure types; knows no operator.
//
//     torch.zeros([2, 3])                  Tensor<[2, 3], "float32">: on whatever device is the default
//     torch.zeros([rows, 3])               Tensor<[number, 3], "float32">
//     (x: Tensor) => x                     all open, shown as `Tensor`
//
// A tensor's type is a union, `TensorMembers | OtherTensor | KnownTensor<[2, 3], "float32", DeviceName>`, although a
// tensor is all of these at once. The checker looks up the one member of a union that is asked for, and finds it in
// `TensorMembers`, whose table it fills once; of an interface with parameters it fills and sorts a table of all 565
// members for each shape that it sees, 0.4 ms each. (An intersection has no table either, but each member is asked
// whether the two contradict each other.) A union has what all parts of it have: the other two have every name, of type
// never, which adds nothing.
//
// Knowledge refuses operators that cannot run and nothing else. TypeScript widens `let n = 2` to number, and has no such
// rule for `let x = torch.zeros([2])`; so every tensor may be assigned to every other one, whatever is known of the two:
// a known one as an `OtherTensor`, and that as a known one. Both ways, since an assignment narrows a variable whose type
// is a union to the parts that the value may be. If that left one out, the checker would follow values around a loop, and
// refuse `const next = x.add(1); x = next;` there, since the type of either needs the other's (TS7022).
import type { PlainMembers, TensorMembers } from "../members.ts";
import type { DeviceName, DType } from "../native.ts";

/** Types alone: no tensor has these when it runs. */
declare const TENSOR: unique symbol;
declare const NAMELESS: unique symbol;
declare const FACTS: unique symbol;
declare const OTHER: unique symbol;

/**
 * Any tensor, by the one property that tells it from all else: an argument is compared with this and not with all
 * of its members.
 */
export interface SomeTensor {
  readonly [TENSOR]: true;
}

/** The parts that have no operators, and say so: `TensorMembers` need not be compared with them. */
interface NamelessTensor extends PlainMembers {
  readonly [NAMELESS]: true;
  /** @ts-expect-error: names of another type are found before it. In a comment that the declarations keep. */
  [member: string]: never;
}

/**
 * A tensor of whatever shape. A known one is one, too; by the property that neither has when it runs it is yet no kind of
 * it, as which it would vanish from unions and arrays: of that property assignability does not ask.
 */
export interface OtherTensor extends NamelessTensor {
  readonly [OTHER]?: never;
}

/** A tensor of which nothing is known. */
export type Tensor = TensorMembers | OtherTensor | KnownTensor<number[], DType, DeviceName>;

export interface Facts<Shape, Type, Device> {
  readonly shape: Shape;
  readonly dtype: Type;
  readonly device: Device;
}

/**
 * What is known. The variance of its parameters is declared: to measure it the checker compares all of it nine times.
 */
export interface KnownTensor<
  in out Shape,
  in out Type = DType,
  in out Device = DeviceName,
> extends NamelessTensor {
  readonly [FACTS]?: Facts<Shape, Type, Device>;
}
