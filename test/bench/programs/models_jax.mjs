// The MLP of models.ts in jax-js, on its WebAssembly backend: `node models_jax.mjs <path of @jax-js/jax>`. Forward,
// backward and Adam are one compiled function.
const jax = await import(process.argv[2]);
const { blockUntilReady, defaultDevice, init, jit, nn, numpy: np, random, tree, valueAndGrad } = jax;

await init("wasm");
defaultDevice("wasm");

const SHAPES = { weight1: [784, 512], bias1: [512], weight2: [512, 10], bias2: [10] };
const NAMES = Object.keys(SHAPES);
const filled = (make) => Object.fromEntries(NAMES.map((name, i) => [name, make(SHAPES[name], i)]));

function loss({ weight1, bias1, weight2, bias2 }, x, target) {
  const hidden = nn.relu(np.matmul(x, weight1).add(bias1));
  const logits = np.matmul(hidden, weight2).add(bias2);
  return nn.logSoftmax(logits).mul(target).sum(1).mean().neg();
}

/** Every use of an array but the last takes a reference of its own. */
const train = jit((parameters, means, squares, rate, x, target) => {
  const [value, gradients] = valueAndGrad(loss)(tree.ref(parameters), x, target);
  const next = [{}, {}, {}];
  for (const name of NAMES) {
    const gradient = gradients[name];
    const mean = means[name].mul(0.9).add(gradient.ref.mul(0.1));
    const square = squares[name].mul(0.999).add(gradient.ref.mul(gradient).mul(0.001));
    const change = mean.ref.mul(rate.ref).div(np.sqrt(square.ref).add(1e-8));
    next[0][name] = parameters[name].sub(change);
    next[1][name] = mean;
    next[2][name] = square;
  }
  rate.dispose();
  return [value, ...next];
});

let parameters = filled((shape, i) => random.normal(random.key(i), shape).mul(0.03));
let means = filled((shape) => np.zeros(shape));
let squares = filled((shape) => np.zeros(shape));
const x = random.normal(random.key(9), [512, 784]);
const classes = np.array(
  Array.from({ length: 512 }, (_, i) => i % 10),
  { dtype: np.int32 },
);
const target = nn.oneHot(classes, 10);

const stepMs = [];
for (let step = 1; step <= 60; step++) {
  const start = performance.now();
  const rate = np.array((1e-3 * Math.sqrt(1 - 0.999 ** step)) / (1 - 0.9 ** step));
  let value;
  [value, parameters, means, squares] = train(parameters, means, squares, rate, x.ref, target.ref);
  await blockUntilReady([parameters, means, squares]);
  value.dispose();
  stepMs.push(performance.now() - start);
}
stepMs.sort((a, b) => a - b);
console.log(JSON.stringify({ "MLP step, ms": stepMs[stepMs.length >> 1] }));
