// Which device a session works on, and how a wrong name is answered.
import { execFileSync } from "node:child_process";
import { afterEach, describe, expect, it } from "vitest";
import { torch } from "../../../../lib/index.ts";
import { chooseDevice } from "../../../../lib/torch/engine/device.ts";
import { native } from "../../../../lib/torch/engine/native.ts";

// The suite for a device sets it.
delete process.env["MPSLAB_DEVICE"];

const { available } = native.devices();
const best = ["mps", "cuda", "cpu"].find((kind) => available.some((device) => device.startsWith(kind)));

describe("torch.device()", () => {
  afterEach(() => void chooseDevice(best ?? "cpu"));

  it("is the best device that is here", () => {
    expect(torch.device()).toBe(best);
  });

  it("is what %device chose", () => {
    chooseDevice("meta");
    expect(torch.device()).toBe("meta");
  });

  it("with a name checks the name", () => {
    expect(torch.device("cpu")).toBe("cpu");
    expect(() => (torch.device as (...args: unknown[]) => unknown)("cpu", 1)).toThrow(
      'torch.device takes at most 1 argument (name, as in "cuda:1"); 2 were given.',
    );
    expect(() => torch.device("gpu")).toThrow(/^"gpu" names no device; .*cpu.* here\.$/);
    expect(() => torch.device("cuda:99")).toThrow(/^The device cuda:99 is not available here; .*cpu.*\.$/);
  });
});

it("new tensors go to the CPU, whatever device the session works on, as in PyTorch", () => {
  expect([torch.getDefaultDevice(), torch.zeros([1]).device]).toEqual(["cpu", "cpu"]);
});

it("MPSLAB_DEVICE chooses at the start", () => {
  const module = new URL("../../../../dist/lib/torch/engine/device.js", import.meta.url).href;
  const print = `const { device } = await import(${JSON.stringify(module)}); console.log(device());`;
  const env = { ...process.env, MPSLAB_DEVICE: "meta" };
  expect(
    execFileSync(process.execPath, ["--input-type=module", "-e", print], { env, encoding: "utf8" }),
  ).toBe("meta\n");
});
