// Turns the addon's report of a wrong result into a finding: plain data, the two programs, and the error.
import type { NativeFinding, ShadowValue } from "../../../torch/engine/native_shadow.ts";
import type { DeviceName } from "../../../torch/vocabulary/device_name.ts";
import type { Tensor } from "../../../torch/tensor/tensor.ts";
import { isIntegralDType } from "../../../torch/vocabulary/dtype.ts";
import { placeOf } from "../../../torch/engine/call_site.ts";
import { save } from "../../../torch/serialize/files.ts";
import { isTensorValue, TYPESCRIPT, written } from "./program_text.ts";
import { showsAgain } from "./redone.ts";
import { INPUTS_FILE, inPython, inTypeScript, memoriesOf, tensorsIn } from "./reproduction.ts";
import type { ShadowedTensor, ShadowFinding } from "./result.ts";

/** Thrown when a device has given a wrong result. It ends the step that `lab.shadow` runs. */
export class ShadowError extends Error {
  override readonly name = "ShadowError";
  declare readonly finding: ShadowFinding;
  readonly #inputs: Readonly<Record<string, unknown>>;

  constructor(found: NativeFinding, device: DeviceName, label: string) {
    const finding = findingOf(found, device, label);
    super(messageOf(finding));
    // Not enumerable: the message holds what a reader needs, and printing an error also prints its enumerable
    // properties.
    Object.defineProperty(this, "finding", { value: finding });
    this.#inputs = Object.fromEntries(memoriesOf(found).map(({ name, elements }) => [name, elements]));
  }

  /**
   * Writes what the operator was given into a file in the format of PyTorch's torch.save. The programs read it if drawn
   * numbers do not show the fault.
   */
  saveInputs(path: string = INPUTS_FILE): void {
    save(this.#inputs, path);
  }
}

function findingOf(found: NativeFinding, device: DeviceName, label: string): ShadowFinding {
  const drawn = showsAgain(found, device);
  const program = { finding: found, device, drawn };
  const { device: onDevice, cpu } = found;
  return {
    device: label,
    operator: found.operator,
    overload: found.overload === "" ? "default" : found.overload,
    pass: found.node === "" ? "forward" : "backward",
    node: found.node === "" ? null : found.node,
    place: found.stack === "" ? null : placeOf(found.stack),
    result: found.result,
    tensors: found.arguments.flatMap(({ name, value }) => tensorsIn(name, value)).map(tensorOf),
    others: found.arguments
      .filter(({ value }) => value !== null && !holdsTensor(value))
      .map(({ name, value }) => `${name} ${written(value, TYPESCRIPT, () => "")}`),
    results: onDevice === null || cpu === null ? null : { device: onDevice, cpu },
    shapes: found.shapes === "" ? null : found.shapes,
    worst:
      found.shapes === ""
        ? {
            index: found.worstAt,
            ...valuesOf(found),
            allowed: found.allowed,
          }
        : null,
    wrongElements: found.wrongElements,
    reproduction: { cell: inTypeScript(program), python: inPython(program), drawn },
  };
}

/** Integers are compared as integers: two of them beyond 2^53 may be the same double. */
function valuesOf({ device, cpu, worstAt, deviceValue, cpuValue, exactValue }: NativeFinding) {
  if (device === null || cpu === null || !isIntegralDType(cpu.dtype))
    return { device: deviceValue, cpu: cpuValue, exact: exactValue };
  const elementOf = (tensor: Tensor) => tensor.at(...worstAt).item() as number | bigint;
  return { device: elementOf(device), cpu: elementOf(cpu), exact: elementOf(cpu) };
}

const holdsTensor = (value: ShadowValue): boolean =>
  typeof value === "object" &&
  value !== null &&
  (isTensorValue(value) || (Array.isArray(value) && (value as readonly ShadowValue[]).some(holdsTensor)));

function tensorOf([name, { dtype, shape, strides, offset }]: ReturnType<
  typeof tensorsIn
>[number]): ShadowedTensor {
  return { name, dtype, shape, strides, offset, contiguous: isContiguous(shape, strides) };
}

function isContiguous(shape: readonly number[], strides: readonly number[]): boolean {
  let expected = 1;
  for (let dim = shape.length - 1; dim >= 0; dim--) {
    if (shape[dim] !== 1 && strides[dim] !== expected) return false;
    expected *= shape[dim]!;
  }
  return true;
}

const number = (value: number | bigint): string =>
  Number.isInteger(value) || typeof value === "bigint" ? String(value) : String(Number(value.toPrecision(6)));

/** The error's message: one sentence with the values, then the way out. */
function messageOf(finding: ShadowFinding): string {
  const { device, operator, result, worst, wrongElements, results, shapes, place, node, tensors } = finding;
  const total = results?.cpu.numel() ?? 0;
  const values =
    worst === null
      ? `is ${shapes}`
      : `is wrong in ${wrongElements.toLocaleString("en-US")} of ${total.toLocaleString("en-US")} elements: at [${worst.index.join(", ")}] it is ${number(worst.device)}, and ${number(worst.exact)} on the CPU, ${worst.allowed === 0 ? "which must be equal" : `where rounding explains ${worst.allowed.toPrecision(2)}`}`;
  const at = `${node === null ? "" : `, called by ${node} of the backward`}${place === null ? "" : `, at ${place}`}`;
  const scattered = tensors.filter(({ contiguous, offset }) => !contiguous || offset !== 0);
  const wayOut =
    scattered.length === 0 || node !== null
      ? "Compute this stage on the CPU with mps.workarounds.onCpu(stage) until it is mended"
      : `Try ${scattered.map(({ name, contiguous }) => `${name}.${contiguous ? "clone" : "contiguous"}()`).join(" and ")}, or compute this stage on the CPU with mps.workarounds.onCpu(stage)`;
  return `lab.shadow: ${operator} on ${device}${at}: its ${result} ${values}. ${wayOut}; error.finding.reproduction has a cell, and a Python script for a report to PyTorch.`;
}
