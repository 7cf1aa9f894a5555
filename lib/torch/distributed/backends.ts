// What carries tensors between processes: gloo those of the host, and NCCL those of CUDA from GPU to GPU.
import { capitalized } from "../../words.ts";
import { native } from "../engine/native.ts";
import type { DeviceName } from "../vocabulary/device_name.ts";
import { UnavailableError } from "../vocabulary/errors.ts";

/** The backend that carries the tensors of a group: one of the two, or each for the tensors of its devices. */
export type Backend = "gloo" | "nccl" | "cpu:gloo,cuda:nccl";

export const BACKENDS: readonly Backend[] = ["gloo", "nccl", "cpu:gloo,cuda:nccl"];

/** @throws UnavailableError if this process cannot use it */
export function requireBackend(call: string, backend: Backend): void {
  if (backend === "gloo") return;
  const why = native.distributed.whyNoNccl();
  if (why !== "")
    throw new UnavailableError(
      `${call}: the backend ${JSON.stringify(backend)} needs NCCL. ${capitalized(why)}. With { backend: "gloo" } tensors of any device are copied to the host and back.`,
    );
}

/** The backend that the user chose. By default both, if this process can use both. */
export function chooseBackend(
  call: string,
  given: Backend | undefined,
  deviceId: DeviceName | undefined,
): { readonly backend: Backend; readonly deviceId: DeviceName | null } {
  const backend = given ?? (native.distributed.whyNoNccl() === "" ? "cpu:gloo,cuda:nccl" : "gloo");
  requireBackend(call, backend);
  if (deviceId !== undefined && backend === "gloo")
    throw new TypeError(
      `${call}: deviceId (${JSON.stringify(deviceId)}) is for NCCL, and the backend is "gloo": leave deviceId out.`,
    );
  return { backend, deviceId: deviceId ?? null };
}
