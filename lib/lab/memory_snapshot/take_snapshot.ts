// Makes a snapshot from a recording: the figures of each device, and how the snapshot shows and saves itself.
import { inspect } from "node:util";
import { DISPLAY, type MimeBundle, withMetadata } from "../../display.ts";
import { searchVariables } from "../../torch/engine/held_tensors.ts";
import { native } from "../../torch/engine/native.ts";
import { checkText } from "../../torch/vocabulary/arguments.ts";
import type { DeviceName } from "../../torch/vocabulary/device_name.ts";
import { tableText } from "../../views/table.ts";
import { writeWhole } from "../../whole_file.ts";
import { bundleWithPicture } from "../../charts/picture.ts";
import { acceleratorOf, nativeDevice } from "../core/native_device.ts";
import { snapshotChart } from "./chart.ts";
import { type DeviceEvents, readHistory } from "./history.ts";
import { type LiveBlock, replay, type Replay } from "./live_blocks.ts";
import { type Recording, settleMemory } from "./recording.ts";
import type { DeviceMemory, MemorySnapshot, SnapshotFigures } from "./result.ts";
import { sitesOf } from "./sites.ts";
import { writeSnapshot } from "./snapshot_file.ts";
import { snapshotTable } from "./view.ts";

/** Collects garbage, and reads what was recorded so far. @param call for the error after the recording's end */
export function takeSnapshot(call: string, recording: Recording): MemorySnapshot {
  settleMemory();
  const history = readHistory(recording.read(call), recording.places);
  const endUs = (performance.timeOrigin + performance.now()) * 1000;
  const names = variablesByAddress();
  const devices = history.devices.map((events) => {
    const endBytes = native.memoryStats(events.device as DeviceName).allocatedBytes;
    const replayed = replay(events, endBytes);
    return { events, endBytes, replayed, label: acceleratorOf(events.device).label };
  });

  const memories = devices.map(({ events, endBytes, replayed, label }): DeviceMemory => {
    const variableOf = (address: number, { at, isOlder }: LiveBlock): string | undefined => {
      const alive = replayed.endBlocks.get(address);
      return alive?.at === at && alive.isOlder === isOlder ? names.get(address) : undefined;
    };
    const sites = (blocks: Replay["endBlocks"]) =>
      sitesOf(history, events, blocks, recording.epochEnds, variableOf);
    const outliving = sites(replayed.endBlocks);
    const { startBytes, peakBytes, peakUs, peakEarlierBytes, peakBlocks } = replayed;
    return {
      device: label,
      ...countOf(events),
      startBytes,
      endBytes,
      peak: {
        bytes: peakBytes,
        atMs: peakUs === null ? 0 : Math.max(0, (peakUs - recording.beganUs) / 1000),
        earlierBytes: peakEarlierBytes,
        sites: sites(peakBlocks),
      },
      outlives: { bytes: outliving.reduce((sum, { bytes }) => sum + bytes, 0), sites: outliving },
    };
  });

  const first = memories[0] ?? nothing();
  const data: SnapshotFigures = {
    ...first,
    durationMs: (endUs - recording.beganUs) / 1000,
    epochs: recording.epochEnds.length,
    droppedEvents: history.droppedEvents,
    devices: memories,
  };
  const save = (file: string): void => {
    checkText("snapshot.save", "file", file);
    const saved = devices.map(({ events, replayed: { endBlocks } }) => ({
      events,
      endBlocks,
      variables: names,
    }));
    const labels = memories.map(({ device }) => device);
    writeWhole("snapshot.save", file, (write) =>
      writeSnapshot(write, history, saved, labels, recording.settings.maxEvents),
    );
  };
  const show = async (): Promise<MimeBundle> => {
    const [drawn] = devices;
    if (drawn === undefined) return { "text/plain": tableText(snapshotTable(data)) };
    const chart = snapshotChart(data, history, drawn.events, drawn.replayed, recording.beganUs);
    const { data: bundle, metadata } = await bundleWithPicture({
      ...chart,
      summary: tableText(snapshotTable(data)),
    });
    return withMetadata(bundle, metadata);
  };
  const methods = {
    save,
    [DISPLAY]: show,
    [inspect.custom]: () => tableText(snapshotTable(data)),
  };
  return Object.defineProperties(
    data as SnapshotFigures as MemorySnapshot,
    Object.fromEntries(
      Reflect.ownKeys(methods).map((key) => [key, { value: methods[key as keyof typeof methods] }]),
    ),
  );
}

/** The snapshot of a function that allocated nothing. */
function nothing(): DeviceMemory {
  const device = nativeDevice();
  const bytes = device.memoryStats().allocatedBytes;
  return {
    device: device.label,
    allocations: 0,
    releases: 0,
    startBytes: bytes,
    endBytes: bytes,
    peak: { bytes, atMs: 0, earlierBytes: bytes, sites: [] },
    outlives: { bytes: 0, sites: [] },
  };
}

function countOf({ all, indices }: DeviceEvents): {
  readonly allocations: number;
  readonly releases: number;
} {
  let releases = 0;
  for (const at of indices) if (all.bytes(at) < 0) releases++;
  return { allocations: indices.length - releases, releases };
}

/** The first variable that leads to each storage. */
function variablesByAddress(): Map<number, string> {
  const names = new Map<number, string>();
  for (const { tensor, path } of searchVariables().tensors) {
    if (native.layout(tensor) !== "strided") continue;
    const address = Number(native.storage(tensor).address);
    if (!names.has(address)) names.set(address, path);
  }
  return names;
}
