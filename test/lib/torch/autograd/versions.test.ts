// Every operator that writes into an argument raises the argument's version, by which backward() finds that what it saved was
// changed. libtorch raises the versions of what an operator gives back; the call raises the others.
import { describe, expect, it } from "vitest";
import { nn, optim, torch, type Tensor } from "../../../../lib/index.ts";
import { native } from "../../../../lib/torch/engine/native.ts";

const MODIFIED = /^a tensor that backward\(\) needs was changed in place after it was used/;

/** The arguments that a schema says are written: `[["a", "self"]]`, and what it gives back. */
function writtenBy(schema: string) {
  const { name, parameters, results } = /^aten::(?<name>[\w.]+)\((?<parameters>.*)\) -> (?<results>.*)$/.exec(
    schema,
  )!.groups as Record<string, string>;
  const written = [...parameters!.matchAll(/Tensor\((\w)!(?: -> [^)]*)?\)\S* (\w+)/g)];
  const unreturned = written
    .filter(([, set]) => !results!.includes(`(${set}!)`))
    .map(([, , argument]) => argument);
  return { name: name!, parameters: parameters!, results: results!, written: written.length, unreturned };
}

const schemas = native.everySchema().map(writtenBy);
const { aten } = torch.ops;
const operator = (name: string) => {
  const [base, overload = "default"] = name.split(".");
  return (aten as unknown as Record<string, Record<string, (...args: unknown[]) => unknown>>)[base!]![
    overload
  ]!;
};
const ones = (...shape: number[]) => torch.ones(shape);
const count = () => torch.zeros([]);
const version = (tensor: Tensor) => native.tensorVersion(tensor)!;
const adam = { beta1: 0.9, beta2: 0.99, weight_decay: 0, eps: 1e-8, amsgrad: true, maximize: false };
const sgd = {
  weight_decay: 0,
  momentum: 0.9,
  dampening: 0,
  nesterov: false,
  maximize: false,
  is_first_step: true,
};
const adagrad = { lr_decay: 0, weight_decay: 0, eps: 1e-8, maximize: false };
const rate = torch.full([], 0.1);

/** Calls of what writes an argument that it does not give back; the tensors that must count as written. */
const CALLS: Readonly<Record<string, (call: (...args: unknown[]) => unknown) => Tensor[]>> = {
  ...Object.fromEntries(
    ["_fused_adam_", "_fused_adamw_"].flatMap((name) =>
      (["", ".tensor_lr"] as const).map((overload) => [
        name + overload,
        (call: (...args: unknown[]) => unknown) => {
          const [p, g, a, b, c] = [ones(2), ones(2), ones(2), ones(2), ones(2)];
          call([p], [g], [a], [b], [c], [count()], { lr: overload === "" ? 0.1 : rate, ...adam });
          return [p, a, b, c];
        },
      ]),
    ),
  ),
  ...Object.fromEntries(
    (["", ".tensor_lr"] as const).flatMap((overload) => {
      const lr = overload === "" ? 0.1 : rate;
      return [
        [
          `_fused_sgd_${overload}`,
          (call: (...args: unknown[]) => unknown) => {
            const [p, g, buffer] = [ones(2), ones(2), ones(2)];
            call([p], [g], [buffer], { lr, ...sgd });
            return [p, buffer];
          },
        ],
        [
          `_fused_adagrad_${overload}`,
          (call: (...args: unknown[]) => unknown) => {
            const [p, g, sum] = [ones(2), ones(2), ones(2)];
            call([p], [g], [sum], [count()], { lr, ...adagrad });
            return [p, sum];
          },
        ],
      ];
    }),
  ),
  _amp_foreach_non_finite_check_and_unscale_: (call) => {
    const [g, found] = [ones(2), torch.zeros([1])];
    call([g], found, torch.full([1], 0.5));
    return [g, found];
  },
  _amp_update_scale_: (call) => {
    const [scale, tracker] = [ones(1), torch.zeros([1], { dtype: "int32" })];
    call(scale, tracker, torch.zeros([1]), 2, 0.5, 1);
    return [scale, tracker];
  },
  _batch_norm_with_update: (call) => {
    const [mean, variance] = [ones(3), ones(3)];
    call(torch.randn([4, 3]), ones(3), ones(3), mean, variance, 0.1, 1e-5);
    return [mean, variance];
  },
  _native_batch_norm_legit: (call) => {
    const [mean, variance] = [ones(3), ones(3)];
    call(torch.randn([4, 3]), ones(3), ones(3), mean, variance, true, 0.1, 1e-5);
    return [mean, variance];
  },
  rrelu_with_noise: (call) => {
    const noise = ones(2);
    call(torch.randn([2]), noise, 0.1, 0.3, true);
    return [noise];
  },
  rrelu_with_noise_: (call) => {
    const noise = ones(2);
    call(torch.randn([2]), noise, 0.1, 0.3, true);
    return [noise];
  },
  _cummax_helper: (call) => {
    const [values, indices] = [ones(2), torch.zeros([2], { dtype: "int64" })];
    call(torch.randn([2]), values, indices, 0);
    return [values, indices];
  },
  _cummin_helper: (call) => {
    const [values, indices] = [ones(2), torch.zeros([2], { dtype: "int64" })];
    call(torch.randn([2]), values, indices, 0);
    return [values, indices];
  },
  ...Object.fromEntries(
    ["fused_moving_avg_obs_fake_quant", "_fused_moving_avg_obs_fq_helper"].map((name) => [
      name,
      (call: (...args: unknown[]) => unknown) => {
        const [min, max, scale] = [torch.zeros([1]), ones(1), ones(1)];
        const on = torch.ones([], { dtype: "int64" });
        const zeroPoint = torch.zeros([1], { dtype: "int32" });
        call(torch.randn([4]), on, on, min, max, scale, zeroPoint, 0.1, 0, 255, 0);
        return [min, max, scale, zeroPoint];
      },
    ]),
  ),
};

/** They write nothing that backward() could have saved, or need another device. */
const NOT_CALLED: Readonly<Record<string, string>> = {
  retain_grad: "changes no element",
  record_stream: "changes no element",
  set_data: "gives the tensor another memory, which is the purpose",
  _flash_attention_forward_no_dropout_inplace: "is CUDA's",
  _cudnn_attention_forward_no_dropout_inplace: "is CUDA's",
  fbgemm_linear_fp16_weight_fp32_activation: "gives back its output",
};

describe("an operator that writes an argument which it does not give back", () => {
  const names = schemas
    .filter(
      ({ name, unreturned }) =>
        unreturned.length > 0 && !/\.\w*out$/.test(name) && !name.startsWith("_foreach"),
    )
    .map(({ name }) => name);

  it("is called here, or stands in the list of those that are not, with the reason", () => {
    expect(names.filter((name) => CALLS[name] === undefined && NOT_CALLED[name] === undefined)).toEqual([]);
  });

  it.each(Object.keys(CALLS))("raises the versions: %s", (name) => {
    const before = new Map<Tensor, number>();
    const written = CALLS[name]!((...args) => {
      for (const tensor of args.flat())
        if (native.isTensor(tensor)) before.set(tensor as Tensor, version(tensor));
      return operator(name)(...args);
    });
    for (const tensor of written) expect(version(tensor)).toBeGreaterThan(before.get(tensor)!);
  });

  it("leaves the version of a gradient that a fused optimizer only reads", () => {
    const [p, g] = [ones(2), ones(2)];
    const before = version(g);
    operator("_fused_sgd_")([p], [g], [ones(2)], { lr: 0.1, ...sgd });
    expect(version(g)).toBe(before);
  });

  it("leaves the versions where it fails", () => {
    const p = ones(2);
    const before = version(p);
    expect(() => operator("_fused_sgd_")([p], [ones(3)], [ones(2)], { lr: 0.1, ...sgd })).toThrow(
      /must lie in memory/,
    );
    expect(version(p)).toBe(before);
  });
});

describe("an operator in place", () => {
  /** Those of one tensor only, so that all can be called alike. */
  const unary = schemas
    .filter(({ parameters, name }) => /^Tensor\(a!\) self$/.test(parameters) && !name.includes("out"))
    .map(({ name }) => name);
  const foreach = schemas
    .filter(
      ({ parameters, name }) => name.startsWith("_foreach") && /^Tensor\(a!\)\[\] self$/.test(parameters),
    )
    .map(({ name }) => name);
  /** What has no elements to write, or changes how the tensor is seen. */
  const WITHOUT = new Set(["detach_", "retain_grad", "squeeze_", "t_", "numpy_T", "set_"]);

  it.each(unary.filter((name) => !WITHOUT.has(name)))("raises the version: %s", (name) => {
    const tensor = name.includes("not") ? torch.ones([2, 2], { dtype: "int64" }) : torch.full([2, 2], 0.5);
    const before = version(tensor);
    operator(name)(tensor);
    expect(version(tensor)).toBeGreaterThan(before);
  });

  it.each(foreach)("raises the versions of a list: %s", (name) => {
    const list = [torch.full([2], 0.5), torch.full([3], 0.5)];
    const before = list.map(version);
    operator(name)(list);
    expect(list.map((tensor, i) => version(tensor) > before[i]!)).toEqual([true, true]);
  });
});

describe("backward() after an optimizer's step", () => {
  const KINDS = {
    SGD: (parameters: Iterable<Tensor>) => new optim.SGD(parameters, { lr: 0.1 }),
    "SGD with momentum": (parameters: Iterable<Tensor>) =>
      new optim.SGD(parameters, { lr: 0.1, momentum: 0.9 }),
    Adam: (parameters: Iterable<Tensor>) => new optim.Adam(parameters),
    "Adam with amsgrad": (parameters: Iterable<Tensor>) => new optim.Adam(parameters, { amsgrad: true }),
    AdamW: (parameters: Iterable<Tensor>) => new optim.AdamW(parameters),
    RMSprop: (parameters: Iterable<Tensor>) => new optim.RMSprop(parameters),
  };

  it.each(Object.entries(KINDS))("of a later layer by %s is refused", (_, make) => {
    const [first, second] = [new nn.Linear(2, 3), new nn.Linear(3, 1)];
    const optimizer = make(second.parameters());
    const loss = second(first(torch.ones([1, 2]))).sum();
    loss.backward(null, { retainGraph: true });
    optimizer.step();
    first.zeroGrad();
    expect(() => loss.backward()).toThrow(MODIFIED);
  });

  it.each(Object.entries(KINDS))("in a captured step by %s is refused", (_, make) => {
    const [first, second] = [new nn.Linear(2, 3), new nn.Linear(3, 1)];
    const optimizer = make(second.parameters());
    const step = torch.capture((x: Tensor) => {
      optimizer.zeroGrad();
      const loss = second(x).sum();
      loss.backward();
      optimizer.step();
      return loss;
    });
    for (let i = 0; i < 4; i++) step(torch.ones([1, 3]));
    const loss = second(first(torch.ones([1, 2]))).sum();
    step(torch.ones([1, 3]));
    expect(() => loss.backward()).toThrow(MODIFIED);
  });

  it("of a recurrent state that goes on names detach()", () => {
    const cell = new nn.GRUCell(2, 3);
    const optimizer = new optim.Adam(cell.parameters());
    let state = torch.zeros([1, 3]);
    const step = () => {
      state = cell(torch.ones([1, 2]), state);
      state.sum().backward(null, { retainGraph: true });
      optimizer.step();
    };
    // The first state needs no gradient, so that the second step is the first which goes back through another's graph.
    step();
    step();
    expect(step).toThrow(
      /changed in place after it was used .* a recurrent state that goes on to the next step needs detach\(\)\.$/,
    );
  });

  it("of a GAN whose generator steps before the discriminator's backward is refused", () => {
    const [generator, discriminator] = [
      new nn.Linear(2, 2),
      new nn.Sequential(new nn.Linear(2, 4), new nn.Linear(4, 1)),
    ];
    const optimizers = [generator, discriminator].map((model) => new optim.Adam(model.parameters()));
    const fake = generator(torch.ones([1, 2]));
    const judged = discriminator(fake).mean();
    judged.neg().backward(null, { retainGraph: true });
    optimizers[1]!.step();
    expect(() => judged.backward()).toThrow(MODIFIED);
  });

  it("of what does not need the parameter works", () => {
    const w = torch.ones([2]).requiresGrad_();
    const optimizer = new optim.SGD([w], { lr: 0.1 });
    const loss = w.add(1).sum();
    loss.backward(null, { retainGraph: true });
    optimizer.step();
    expect(() => loss.backward()).not.toThrow();
  });
});
