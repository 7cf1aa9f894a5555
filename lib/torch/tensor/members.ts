// Declares the members of every tensor, whatever is known of its type; `tensor.ts` implements them. Where a result
// depends on what is known, the method's type reads it from its `this`.
import type { DeviceName, DeviceText } from "../vocabulary/device_name.ts";
import type { Index } from "../types/indices.ts";
import type { DISPLAY, MimeBundle } from "../../display.ts";
import type {
  ValuesOnly,
  NonzeroOptions,
  StftOptions,
  UniqueConsecutiveOptions,
  UniqueOptions,
} from "./composed.ts";
import type { ToOptions } from "./conversion.ts";
import type { Complex, DType, Layout, Scalar, TypedArray } from "../vocabulary/dtype.ts";
import type { Norm } from "./norm.ts";
import type { Tensor as Operators } from "./ops.generated.ts";
import type { QScheme } from "./quantized.ts";
import type {
  DeviceOf,
  DTypeOf,
  Like,
  ListOf,
  LackProblem,
  MoveProblem,
  PartShape,
  ShapeOf,
  Tensor as PlainTensor,
  TensorOf,
  Unless,
  UnlessAt,
} from "../types/index.ts";
import type { NestedList } from "./values.ts";

/** A tensor's memory, whatever the part of it that the tensor shows. */
export interface UntypedStorage {
  readonly nbytes: number;
  /** Its address, the same for tensors that share memory. */
  readonly dataPtr: bigint;
}

/** An n-dimensional array of numbers on a device, by what can be asked of it: what is known of one is in `types/tensor.ts`. */
export interface Tensor extends Operators {
  /** Sizes of the dimensions. */
  readonly shape: number[];
  /** Kind of the elements: `float32`, `int64`, ... */
  readonly dtype: DType;
  /** The device of its memory: `cpu`, `mps`, `cuda:0`, ... */
  readonly device: DeviceName;
  /** The number of dimensions. */
  readonly ndim: number;
  /** Size of the first dimension: Python's `len(x)`, and how many rows iterating gives. */
  readonly length: number;
  /** Bytes of all elements, whether or not it shares them with others. */
  readonly nbytes: number;
  /** The number of elements. */
  numel(): number;
  /**
   * The value of a tensor of one element: a number, a boolean, `{ re, im }`, or a bigint for an int64 beyond 2^53.
   * Waits for the device.
   */
  item(): number;
  /** The same for a tensor of another dtype: `mask.any().item<boolean>()`. */
  item<Value extends number | bigint | boolean | Complex>(): Value;
  /** Frees the tensor now and not when it is collected. Views of it keep the memory. Idempotent. */
  dispose(): void;
  [Symbol.dispose](): void;
  /** Iterates over the first dimension. */
  [Symbol.iterator](): IterableIterator<PlainTensor>;
  /** The output that a cell shows for it: text, and a table or picture with its statistics. */
  [DISPLAY](): MimeBundle;
  /** How elements lie in memory: `strided`, or one of the sparse layouts. */
  readonly layout: Layout;
  /** Bytes of one element. */
  readonly itemsize: number;
  /** Transposed: the dimensions in reverse order. */
  readonly T: PlainTensor;
  /** The last two dimensions exchanged. */
  readonly mT: PlainTensor;
  /** Conjugate transpose of a matrix. */
  readonly H: PlainTensor;
  /** Conjugate transpose of the last two dimensions. */
  readonly mH: PlainTensor;
  /** The real parts, a view; of a real tensor all of its values. */
  readonly real: PlainTensor;
  /** The imaginary parts of a complex tensor, a view. */
  readonly imag: PlainTensor;

  /** Sizes of the dimensions. */
  size(): number[];
  /** Size of one dimension; -1 is the last. */
  size(dim: number): number;
  /** Steps in memory, in elements, from one index to the next. */
  stride(): number[];
  /** Step of one dimension; -1 is the last. */
  stride(dim: number): number;
  /** The position of the first element in its memory, in elements. */
  storageOffset(): number;
  /** The number of dimensions. */
  dim(): number;
  /** Whether the elements lie in memory in row-major order, without gaps. */
  isContiguous(): boolean;

  /**
   * The present value of `item()`, without blocking the session: another thread waits for the device.
   *
   * @throws UseAfterDisposeError where the tensor is disposed before the value is there
   */
  itemAsync(): Promise<number>;
  itemAsync<Value extends number | bigint | boolean | Complex>(): Promise<Value>;
  /**
   * Values in nested arrays; a lone value for a tensor without dimensions. Waits for the device. Numbers are numbers,
   * those of an int64 beyond 2^53 bigints; bool gives booleans, complex numbers `{ re, im }`.
   */
  tolist<const A>(this: A): ListOf<ShapeOf<A>, DTypeOf<A>>;
  /** The same for a tensor whose type does not know its dimensions or its dtype: `x.tolist<number[][]>()`. */
  tolist<Values extends NestedList>(): Values;
  /**
   * Values in row-major order as a typed array. A contiguous tensor on the CPU gives its own memory: writing to the
   * array writes to the tensor, and the memory stays for as long as either lives, `dispose()` or not: an array that was
   * collected gives it back at the event loop's next turn, so a long synchronous loop reads with `item()` and `tolist()`,
   * which hold nothing. Any other one gives a copy. bool is Uint8Array; float16 is Float16Array where JavaScript has it
   * (Node 24), before that its bits as Uint16Array, as bfloat16 always; complex numbers alternate real and imaginary parts.
   *
   * The type does not follow the dtype: it is Float32Array. For other tensors name the array:
   * `labels.data<BigInt64Array>()`.
   *
   * @throws DeviceMismatchError for a tensor on another device: `.cpu().data()`; TypeError for one that requires gradients,
   *   which autograd would compute from what is written to the array: `.detach().data()`
   */
  get data(): <Data extends TypedArray = Float32Array>() => Data;
  /**
   * PyTorch's `w.data = x`: the tensor stays the same object, which its module and its optimizer know, and has the memory,
   * shape and dtype of another one. Autograd does not see where they come from. The type of the variable stays.
   *
   * @throws TypeError for what is no tensor, or for one of another device or layout where PyTorch has no such assignment
   */
  set data(values: PlainTensor);
  /**
   * Values as a typed array, of a tensor on any device: `data()` on the CPU, elsewhere a copy of what the tensor holds
   * now, for which another thread waits.
   *
   * @throws UseAfterDisposeError where the tensor is disposed before the copy is there
   */
  dataAsync<Data extends TypedArray = Float32Array>(): Promise<Data>;
  /** The memory that it shares with its views. */
  untypedStorage(): UntypedStorage;

  /** Converts to the dtype and device of another tensor, or of the options. */
  to(otherOrOptions: PlainTensor | ToOptions, options?: ToOptions): PlainTensor;
  to(device: DeviceText, dtype: DType, options?: ToOptions): PlainTensor;
  to(deviceOrDType: DeviceText | DType, options: ToOptions): PlainTensor;
  // The last one: where none fits, the compiler speaks of it.
  /** Moves to a device, or converts to a dtype. Returns the tensor itself if it has that device or dtype already. */
  to<const A, Target extends DeviceText | DType, Problem = MoveProblem<A, Target>>(
    this: A,
    deviceOrDType: Target & UnlessAt<Problem>,
  ): TensorOf<
    ShapeOf<A>,
    [Target] extends [DType] ? Target : [Target] extends [DeviceName] ? DTypeOf<A> : DType,
    [Target] extends [DeviceName] ? Target : [Target] extends [DType] ? DeviceOf<A> : DeviceName
  >;
  /** Moves to the CPU. Returns the tensor itself if it is there already. */
  cpu<const A>(this: A): TensorOf<ShapeOf<A>, DTypeOf<A>, "cpu">;
  /** Moves to Metal's device. Returns the tensor itself if it is there already. */
  mps(options: ToOptions): PlainTensor;
  mps<const A, Problem = LackProblem<"mps", A, "mps", DTypeOf<A>>>(
    this: A & Unless<Problem>,
  ): TensorOf<ShapeOf<A>, DTypeOf<A>, "mps">;
  /** Moves to the current NVIDIA GPU. Returns the tensor itself if it is there already. */
  cuda(options: ToOptions): PlainTensor;
  cuda<const A>(this: A): TensorOf<ShapeOf<A>, DTypeOf<A>, "cuda">;
  /** Converts to float32. Returns the tensor itself if it is float32 already. */
  float<const A>(this: A): Like<A, "float32">;
  /** Converts to float64. Returns the tensor itself if it is float64 already. */
  double<const A, Problem = LackProblem<"double", A, DeviceOf<A>, "float64">>(
    this: A & Unless<Problem>,
  ): Like<A, "float64">;
  /** Converts to float16. Returns the tensor itself if it is float16 already. */
  half<const A>(this: A): Like<A, "float16">;
  /** Converts to bfloat16. Returns the tensor itself if it is bfloat16 already. */
  bfloat16<const A>(this: A): Like<A, "bfloat16">;
  /** Converts to int64. Returns the tensor itself if it is int64 already. */
  long<const A>(this: A): Like<A, "int64">;
  /** Converts to int32. Returns the tensor itself if it is int32 already. */
  int<const A>(this: A): Like<A, "int32">;
  /** Converts to int16. Returns the tensor itself if it is int16 already. */
  short<const A>(this: A): Like<A, "int16">;
  /** Converts to bool: true where an element is not 0. */
  bool<const A>(this: A): Like<A, "bool">;

  /**
   * Part of the tensor: `x.at(0)`, `x.at(torch.slice(1, 3), -1)`, `x.at("...", null)`, `x.at(mask)`. A view, unless a
   * tensor or an array is among the indices.
   */
  at<const A, const Indices extends readonly Index[]>(
    this: A,
    ...indices: Indices
  ): TensorOf<PartShape<ShapeOf<A>, Indices>, DTypeOf<A>, DeviceOf<A>>;
  /**
   * Writes into the part of the tensor that `x.at(...)` reads by the same indices: `x.setAt(0, torch.slice(1, 3), 7)`. A
   * list is one index: `x.setAt([0, 2], 7)` writes rows 0 and 2. Returns the tensor.
   */
  setAt(...indicesAndValue: [first: Index, ...more: Index[], value: PlainTensor | Scalar]): PlainTensor;

  /** The different elements; with `returnInverse` or `returnCounts` an array of those tensors, in this order. */
  unique(options?: UniqueOptions & ValuesOnly): PlainTensor;
  unique(options: UniqueOptions): PlainTensor | PlainTensor[];
  /** One element of each run of equal ones, with the same further results as `unique`. */
  uniqueConsecutive(options?: UniqueConsecutiveOptions & ValuesOnly): PlainTensor;
  uniqueConsecutive(options: UniqueConsecutiveOptions): PlainTensor | PlainTensor[];
  /** Indices of the elements that are not zero: [count, dims], or with `asTuple` one tensor for each dimension. */
  nonzero(options?: NonzeroOptions & { readonly asTuple?: false }): PlainTensor;
  nonzero(options: NonzeroOptions): PlainTensor | PlainTensor[];
  /** The p-norm over `dim`, or over all elements. Default of p: `"fro"`. */
  readonly norm: Norm<[]>;
  /** The Fourier transform of windows that move over [..., length]: [..., frequencies, windows]. */
  stft(nFft: number, options?: StftOptions): PlainTensor;
  stft(nFft: number, hopLength: number | null, options?: StftOptions): PlainTensor;
  stft(nFft: number, hopLength: number | null, winLength: number | null, options?: StftOptions): PlainTensor;
  stft(
    nFft: number,
    hopLength: number | null,
    winLength: number | null,
    window: PlainTensor | null,
    center?: boolean | StftOptions,
    padMode?: string | StftOptions,
    normalized?: boolean | StftOptions,
    onesided?: boolean | null | StftOptions,
    returnComplex?: boolean | null | StftOptions,
    alignToWindow?: boolean | null,
  ): PlainTensor;
  /** How a quantized tensor's integers stand for numbers. */
  qscheme(): QScheme;
  /** Converts to uint8. */
  byte(): PlainTensor;
  /** Converts to int8. */
  char(): PlainTensor;
  /** Converts to complex64. */
  cfloat(): PlainTensor;
  /** Converts to complex128. */
  cdouble(): PlainTensor;

  /** Whether `dispose()`, `using` or `tidy` freed it. */
  readonly isDisposed: boolean;
  /** Returns the text that PyTorch prints. */
  toString(): string;
  /** Refuses: `JSON.stringify(x.tolist())`. */
  toJSON(): never;
}
