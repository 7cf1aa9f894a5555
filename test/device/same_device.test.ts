// The device contract: what meets in a step lies on one device, or is told with the move that mends it.
import { describe, expect, it } from "vitest";
import { accelerator, DeviceMismatchError, nn, torch } from "../../lib/index.ts";
import { device, queues } from "./device_under_test.ts";

const { requireSameDevice } = accelerator;
const name = torch.ones([1], { device }).device;

describe("accelerator.requireSameDevice", () => {
  it("gives the device that all are on", () => {
    const model = new nn.Linear(2, 3).to(device);
    const batch = { x: torch.ones([4, 2], { device }), targets: [torch.ones([4], { device })] };
    expect(requireSameDevice({ model, batch })).toBe(name);
    expect(requireSameDevice({ model }, device)).toBe(device);
  });

  it.skipIf(!queues)("names both places, both devices and the move", () => {
    const model = new nn.Sequential(new nn.Linear(2, 3)).to(device);
    const x = torch.ones([4, 2]);
    expect(() => requireSameDevice({ model, x })).toThrow(DeviceMismatchError);
    expect(() => requireSameDevice({ model, x })).toThrow(
      `accelerator.requireSameDevice: model.0.weight (float32 [3, 2]) is on ${name}, but x (float32 [4, 2]) is on cpu. Move it with x.to("${device}").`,
    );
    expect(() => requireSameDevice({ batch: [x], model })).toThrow(
      `model.0.weight (float32 [3, 2]) is on ${name}, but batch[0] (float32 [4, 2]) is on cpu. Move it with batch[0].to("${device}").`,
    );
    expect(() => requireSameDevice({ step: { x } }, device)).toThrow(
      `all must be on ${device}, but step.x (float32 [4, 2]) is on cpu. Move it with step.x.to("${device}").`,
    );
  });

  it.skipIf(!queues)("moves what was left on the CPU, wherever it stands and however much it is", () => {
    const [here, there] = [() => torch.ones([2]), () => torch.ones([2], { device })];
    const text = (owner: string, place: string) => `${owner} (float32 [2]) is on ${place}`;
    expect(() => requireSameDevice({ a: here(), b: there(), c: there() })).toThrow(
      `${text("b", name)}, but ${text("a", "cpu")}. Move it with a.to("${device}").`,
    );
    expect(() => requireSameDevice({ a: here(), b: here(), c: there() })).toThrow(
      `${text("c", name)}, but ${text("a", "cpu")}. Move it with a.to("${device}").`,
    );
    expect(() => requireSameDevice({ model: new nn.Linear(4, 2), batch: there() })).toThrow(
      `${text("batch", name)}, but model.weight (float32 [2, 4]) is on cpu. Move it with model.to("${device}").`,
    );
    // The move that is advised is the one that helps.
    const batch = there();
    expect(requireSameDevice({ model: new nn.Linear(4, 2).to(device), batch })).toBe(name);
  });

  it.each<[string, () => unknown, string]>([
    [
      "a tensor without a name",
      () => requireSameDevice(torch.ones([1]) as never),
      "accelerator.requireSameDevice: give what meets by name, as { model, x }, not a Tensor.",
    ],
    [
      "nothing",
      () => requireSameDevice({}),
      "accelerator.requireSameDevice: there is no tensor in an object.",
    ],
    [
      "a number",
      () => requireSameDevice({ x: 1 as never }),
      "accelerator.requireSameDevice: x must be a tensor, a module, or lists and records of them, got 1.",
    ],
  ])("%s is refused", (_, call, message) => {
    expect(call).toThrow(new TypeError(message));
  });
});

describe.skipIf(!queues)("an operator between devices", () => {
  it("names both devices, both tensors and the move", () => {
    const [there, here] = [torch.ones([2], { device }), torch.ones([3, 2])];
    const first = `${device.replace(/:0$/, "")}:0`;
    expect(() => there.add(here)).toThrow(
      `add(): all tensors must be on the same device, but got ${first} and cpu (self float32 [2] on ${first}, other float32 [3, 2]). Move other with .to("${device}").`,
    );
  });

  it("the move keeps what is on the accelerator, a model or a batch", () => {
    const [there, here] = [torch.ones([2, 2], { device }), torch.ones([2, 2])];
    const move = (run: () => unknown): string | undefined => {
      try {
        run();
      } catch (error) {
        return /Move (.*)\.$/.exec((error as Error).message)?.[1];
      }
      return undefined;
    };
    const model = new nn.Linear(2, 2).to(device);
    expect(move(() => model(here))).toBe(`input with .to("${device}")`);
    expect(move(() => new nn.Linear(2, 2)(there))).toBe(
      `weight, and with it its model, with .to("${device}")`,
    );
    expect(move(() => new nn.BatchNorm1d(2)(there))).toMatch(/, and with it its model, with /);
    expect(move(() => new nn.LSTM(2, 2)(there))).toMatch(/, and with it its model, with /);
    expect(move(() => torch.ones([2, 2], { requiresGrad: true }).add(there))).toBe(
      `self with .to("${device}")`,
    );
    expect(move(() => model.requiresGrad_(false)(here))).toBe(`input with .to("${device}")`);
    expect(move(() => new nn.LSTM(2, 2).to(device)(here))).toBe(`input with .to("${device}")`);
    expect(move(() => new nn.Embedding(2, 2).to(device)(torch.tensor([1])))).toBe(
      `indices with .to("${device}")`,
    );
    expect(move(() => here.add(there))).toBe(`self with .to("${device}")`);
    expect(move(() => torch.cat([here, there]))).toBe(`tensors[0] with .to("${device}")`);
  });
});
