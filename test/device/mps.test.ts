// PyTorch's mps namespace on a Metal device, simulated or not: each name does what it says.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { mps, torch, UnavailableError } from "../../lib/index.ts";
import { device, simulated } from "./device_under_test.ts";

const here = device === "mps";

describe.skipIf(!here)("the Metal device", () => {
  it("is there, once", () => {
    expect([mps.isBuilt(), mps.isAvailable(), mps.deviceCount()]).toEqual([true, true, 1]);
    expect(mps.availability()).toEqual({ state: "ready", reason: null });
  });

  it("has a name, cores and a macOS", () => {
    expect(mps.getName()).toMatch(simulated ? /^Simulated Metal$/ : /^Apple/);
    expect(mps.getCoreCount()).toBeGreaterThanOrEqual(1);
    expect(mps.isMacosOrNewer(14)).toBe(true);
    expect(mps.isMacos13OrNewer(1)).toBe(true);
    expect(() => mps.isMacosOrNewer("14" as never)).toThrow(
      new TypeError('mps.isMacosOrNewer: major must be an integer, got "14".'),
    );
  });

  it("counts memory, and gives cached memory back", () => {
    const x = torch.zeros([1024, 1024], { device });
    expect(mps.currentAllocatedMemory()).toBeGreaterThanOrEqual(x.nbytes);
    expect(mps.driverAllocatedMemory()).toBeGreaterThanOrEqual(mps.currentAllocatedMemory());
    expect(mps.recommendedMaxMemory()).toBeGreaterThan(2 ** 30);
    x.dispose();
    mps.synchronize();
    expect(mps.emptyCache()).toBeGreaterThanOrEqual(0);
  });

  it("limits memory, and warns of a limit above what Metal recommends", async () => {
    const warnings: string[] = [];
    const listen = ({ message }: Error) => warnings.push(message);
    process.on("warning", listen);
    for (const fraction of [0.5, 0, 1.7]) mps.setPerProcessMemoryFraction(fraction);
    await new Promise(setImmediate);
    process.off("warning", listen);
    expect(warnings).toEqual([
      "mps.setPerProcessMemoryFraction(0): memory has no limit now; macOS may swap, or end this session.",
      "mps.setPerProcessMemoryFraction(1.7): this session may use more memory than Metal recommends; macOS may swap.",
    ]);
  });

  it("draws the same numbers again from a seed, and from a state", () => {
    mps.manualSeed(7);
    const first = torch.rand([4], { device }).tolist();
    const state = mps.getRngState();
    expect([state.dtype, state.device]).toEqual(["uint8", "cpu"]);
    const second = torch.rand([4], { device }).tolist();
    mps.setRngState(state);
    expect(torch.rand([4], { device }).tolist()).toEqual(second);
    mps.manualSeed(7);
    expect(torch.rand([4], { device }).tolist()).toEqual(first);
    expect(mps.seed()).not.toBe(mps.seed());
    expect(() => mps.manualSeed(0.5)).toThrow(RangeError);
    expect(() => mps.setRngState([1] as never)).toThrow(TypeError);
  });
});

describe.skipIf(!here)("mps.Event", () => {
  it("times what ran between two of them", () => {
    const start = new mps.Event({ enableTiming: true });
    const end = new mps.Event({ enableTiming: true });
    start.record();
    torch.rand([64, 64], { device }).mm(torch.rand([64, 64], { device }));
    end.record();
    end.wait();
    expect(start.elapsedTime(end)).toBeGreaterThan(0);
    end.synchronize();
    expect(end.query()).toBe(true);
  });

  it("is of the default stream alone, as in PyTorch", () => {
    const event = new mps.Event();
    mps.stream(new mps.Stream(), () => {
      expect(() => event.record()).toThrow(UnavailableError);
      expect(() => event.wait()).toThrow(
        /^mps\.Event\.wait: PyTorch has events in the default stream alone, but the current one is \d+; wait for it with mps\.currentStream\(\)\.synchronize\(\)\.$/,
      );
    });
  });
});

describe.skipIf(!here)("streams", () => {
  it("of the pool are numbered from 1; the default one is 0 and current", () => {
    const stream = new mps.Stream();
    expect(stream.streamId).toBeGreaterThanOrEqual(1);
    expect(stream.streamId).toBeLessThanOrEqual(32);
    expect(mps.defaultStream().streamId).toBe(0);
    expect(mps.currentStream().equals(mps.defaultStream())).toBe(true);
    expect(String(mps.defaultStream())).toBe("mps.Stream(0)");
  });

  it("are current for a body, whatever becomes of it", () => {
    const stream = new mps.Stream();
    const sum = mps.stream(stream, () => {
      expect(mps.currentStream().equals(stream)).toBe(true);
      const made = torch.ones([3], { device }).add(1);
      stream.synchronize();
      return made;
    });
    expect(sum.tolist()).toEqual([2, 2, 2]);
    expect(() =>
      mps.stream(stream, () => {
        throw new Error("from the body");
      }),
    ).toThrow("from the body");
    expect(mps.currentStream().streamId).toBe(0);
  });

  it("are chosen until another one is; null changes nothing", () => {
    const stream = new mps.Stream();
    mps.setStream(stream);
    mps.setStream(null);
    expect(mps.currentStream().streamId).toBe(stream.streamId);
    mps.setStream(mps.defaultStream());
    expect(mps.stream(null, () => mps.currentStream().streamId)).toBe(0);
    expect(() => mps.setStream(1 as never)).toThrow(
      new TypeError("mps.setStream: the stream must be an mps.Stream or null, got 1."),
    );
  });
});

describe.skipIf(!here)("mps.profiler", () => {
  it("sets signposts while it is on", async () => {
    mps.profiler.start({ mode: "interval,event", waitUntilCompleted: true });
    torch.ones([8, 8], { device }).exp();
    mps.profiler.stop();
    expect(mps.profiler.profile({}, () => 3)).toBe(3);
    expect(await mps.profiler.profile({ mode: "event" }, async () => 4)).toBe(4);
    expect(() =>
      mps.profiler.profile({}, () => {
        throw new Error("from the body");
      }),
    ).toThrow("from the body");
  });

  it.skipIf(!simulated)("keeps them on simulated Metal, which has no Instruments", () => {
    mps.profiler.profile({ mode: "interval,event" }, () => torch.ones([8, 8], { device }).exp());
    const exp = mps.profiler.signposts().filter(({ name }) => name === "aten::exp");
    expect(exp.map(({ mode }) => mode)).toEqual(["interval", "event"]);
    expect(exp[0]!.wallMs).toBeGreaterThan(0);
    expect(exp[1]!.beganMs).toBeGreaterThanOrEqual(exp[0]!.beganMs);
    const kept = mps.profiler.signposts().length;
    torch.ones([8, 8], { device }).exp();
    mps.synchronize();
    expect(mps.profiler.signposts()).toHaveLength(kept);
  });

  it.skipIf(simulated)("leaves them to Instruments on a Mac", () => {
    expect(() => mps.profiler.signposts()).toThrow(UnavailableError);
  });

  it.each<[string, () => unknown, Error]>([
    [
      "a mode that is none",
      () => mps.profiler.start({ mode: "all" as never }),
      new RangeError('mps.profiler.start: mode must be "interval", "event" or "interval,event", got "all".'),
    ],
    [
      "a number for a boolean",
      () => mps.profiler.start({ waitUntilCompleted: 1 as never }),
      new TypeError("mps.profiler.start: waitUntilCompleted must be true or false, got 1."),
    ],
    [
      "a capture without a name",
      () => mps.profiler.metalCapture("", () => 0),
      new TypeError('mps.profiler.metalCapture: the name must be a string like "step", got "".'),
    ],
  ])("refuses %s", (_, call, error) => {
    expect(call).toThrow(error);
  });

  const captures = here && mps.profiler.isMetalCaptureEnabled();

  it.runIf(captures)("captures Metal's calls into a numbered trace where MTL_CAPTURE_ENABLED was set", () => {
    const before = process.cwd();
    const folder = mkdtempSync(path.join(tmpdir(), "mpslab-capture-"));
    process.chdir(folder);
    try {
      const capturing = mps.profiler.metalCapture("step", () => {
        torch.ones([8, 8], { device }).exp();
        return mps.profiler.isCapturingMetal();
      });
      expect(capturing).toBe(true);
      expect(mps.profiler.isCapturingMetal()).toBe(false);
      expect(existsSync(path.join(folder, "0000-step.gputrace"))).toBe(true);
    } finally {
      process.chdir(before);
      rmSync(folder, { recursive: true });
    }
  });

  it.skipIf(captures)("says what captures of Metal's calls want where they are off", () => {
    expect(mps.profiler.isCapturingMetal()).toBe(false);
    expect(() => mps.profiler.metalCapture("step", () => 0)).toThrow(
      simulated ? /no GPU whose calls Xcode could show/ : /set MTL_CAPTURE_ENABLED=1/,
    );
  });
});
