// Random numbers: seeds, generators, states, distributions. generators.py has the same programs.
import { data, nn, torch, type Tensor } from "../../../lib/index.ts";
import { type Programs, refused } from "./helpers.ts";

const seeded = (seed = 42) => new torch.Generator().manualSeed(seed);
const float = (...values: number[]): Tensor => torch.tensor(values, { dtype: "float32" });
const numbered = (count: number) => new data.TensorDataset(torch.arange(count));
const firsts = (loader: Iterable<readonly Tensor[]>) => [...loader].map(([first]) => first!.tolist());

export const generators: Programs = {
  manualSeed() {
    torch.manualSeed(42);
    return [torch.rand([3]), torch.randn([3]), torch.randint(0, 10, [4]), torch.randperm(5)];
  },
  manualSeedAgain() {
    torch.manualSeed(7);
    const a = torch.rand([2]);
    torch.manualSeed(7);
    return a.equal(torch.rand([2]));
  },
  manyNormalNumbers() {
    torch.manualSeed(1);
    return [torch.randn([17]), torch.randn([3])];
  },
  generatorLeavesTheDefaultAlone() {
    const generator = seeded();
    torch.manualSeed(0);
    const a = torch.rand([2], { generator });
    return [a, torch.rand([2])];
  },
  generatorGoesOn() {
    const generator = seeded();
    return [torch.rand([2], { generator }), torch.rand([2], { generator })];
  },
  generatorStateGoesBack() {
    const generator = seeded();
    const state = generator.getState();
    const a = torch.rand([2], { generator });
    generator.setState(state);
    return [a.equal(torch.rand([2], { generator })), state.dtype];
  },
  stateOfTheDefault() {
    torch.manualSeed(3);
    const state = torch.getRngState();
    const a = torch.randn([2]);
    torch.setRngState(state);
    return [a, torch.randn([2])];
  },
  stateOfAnotherLength() {
    torch.setRngState(torch.zeros([3], { dtype: "uint8" }));
  },
  stateOfAnotherDtype() {
    torch.setRngState(torch.zeros([5056]));
  },
  initialSeed() {
    torch.manualSeed(11);
    return [torch.initialSeed(), seeded(5).initialSeed()];
  },
  negativeSeed() {
    torch.manualSeed(-1);
    return torch.rand([2]);
  },
  seedWithAFraction() {
    new torch.Generator().manualSeed(1.5);
  },
  forkLeavesTheState() {
    torch.manualSeed(0);
    torch.forkRng(() => {
      torch.manualSeed(1);
      torch.rand([3]);
    });
    return torch.rand([2]);
  },
  integersInARange() {
    const generator = seeded();
    return [torch.randint(5, [4], { generator }), torch.randint(-3, 3, [2, 2], { generator })];
  },
  integersInAnEmptyRange: () => torch.randint(3, 3, [2]),
  integersOfADtype: () => [
    torch.randint(0, 200, [3], { dtype: "uint8", generator: seeded() }),
    refused(() => torch.randint(0, 300, [3], { dtype: "uint8" })),
  ],
  permutationWithAGenerator: () => [
    torch.randperm(6, { generator: seeded() }),
    torch.randperm(0),
    refused(() => torch.randperm(-1)),
  ],
  multinomialWithoutReplacement() {
    const w = float(0.1, 0.2, 0.7);
    return [torch.multinomial(w, 3, false, { generator: seeded() }), refused(() => torch.multinomial(w, 4))];
  },
  multinomialWithReplacement() {
    const w = torch.tensor(
      [
        [1, 0],
        [0.5, 0.5],
      ],
      { dtype: "float32" },
    );
    return torch.multinomial(w, 4, true, { generator: seeded() });
  },
  multinomialOfNegativeWeights: () => torch.multinomial(float(0.5, -0.1), 1),
  multinomialOfZeroWeights: () => torch.multinomial(torch.zeros([3]), 1),
  multinomialOfIntegers() {
    const w: Tensor = torch.tensor([1, 2], { dtype: "int64" });
    return torch.multinomial(w, 1);
  },
  bernoulliOfProbabilities: () => [
    torch.bernoulli(float(0, 1, 0.5), { generator: seeded() }),
    refused(() => torch.bernoulli(float(1.5))),
  ],
  bernoulliInPlace: () => [
    torch.empty([4]).bernoulli_(0.5, { generator: seeded() }),
    refused(() => torch.empty([2]).bernoulli_(2)),
  ],
  normalWithMeans: () => [
    torch.normal(float(0, 100), float(1, 2), { generator: seeded() }),
    torch.normal(5, 0, [2]),
  ],
  normalWithANegativeDeviation: () => torch.normal(0, -1, [2]),
  uniformInPlace: () => [
    torch.empty([3]).uniform_(-1, 1, { generator: seeded() }),
    refused(() => torch.empty([3]).uniform_(1, -1)),
  ],
  otherDistributionsInPlace() {
    const generator = seeded();
    return [
      torch.empty([2]).normal_(1, 2, { generator }),
      torch.empty([2]).exponential_(2, { generator }),
      torch.empty([2]).geometric_(0.5, { generator }),
      torch.empty([2]).logNormal_(0, 1, { generator }),
      torch.empty([2]).cauchy_(0, 1, { generator }),
    ];
  },
  randomInPlace() {
    const generator = seeded();
    return [
      torch.empty([3], { dtype: "int64" }).random_(0, 10, { generator }),
      torch.empty([2]).random_({ generator }),
    ];
  },
  uniformOfIntegers: () => torch.empty([3], { dtype: "int64" }).uniform_(),
  randOfIntegers: () => torch.rand([3], { dtype: "int64" }),
  randLikeHasItsDtype() {
    torch.manualSeed(0);
    return [
      torch.randLike(torch.zeros([2], { dtype: "float64" })),
      torch.randnLike(torch.zeros([2])),
      refused(() => torch.randLike(torch.tensor([1, 2], { dtype: "int64" }))),
    ];
  },
  randOfHalfAndDouble() {
    torch.manualSeed(0);
    return [
      torch.rand([2], { dtype: "float64" }),
      torch.rand([2], { dtype: "float16" }),
      torch.randn([2], { dtype: "bfloat16" }),
    ];
  },
  poisson: () => torch.poisson(float(1, 10), { generator: seeded() }),
  layersDrawFromTheDefault() {
    torch.manualSeed(5);
    const [a, b] = [new nn.Linear(2, 2), new nn.Conv1d(1, 2, 2)];
    return [a.weight, a.bias, b.weight, b.bias];
  },
  embeddingDraws() {
    torch.manualSeed(5);
    return new nn.Embedding(2, 3, { paddingIdx: 0 }).weight;
  },
  recurrentLayersDraw() {
    torch.manualSeed(5);
    return new nn.GRU(1, 2).parameters();
  },
  initializers() {
    torch.manualSeed(5);
    const w = torch.empty([2, 3]);
    return [
      nn.init.xavierUniform_(w).clone(),
      nn.init.kaimingNormal_(w, { mode: "fanOut" }).clone(),
      nn.init.orthogonal_(w).clone(),
      nn.init.truncNormal_(w, { std: 0.5 }).clone(),
    ];
  },
  initializerOfAVector() {
    nn.init.xavierUniform_(torch.empty([3]));
  },
  dropoutDrawsAnew() {
    torch.manualSeed(0);
    const d = new nn.Dropout(0.5);
    const x = torch.ones([6]);
    const [a, b] = [d(x), d(x)];
    return [a, b, d.eval()(x)];
  },
  dropoutOfEverything: () => [new nn.Dropout(1)(torch.ones([3])), refused(() => new nn.Dropout(1.5))],
  seedBeforeTheLoader() {
    torch.manualSeed(0);
    const loader = new data.DataLoader(numbered(6), { batchSize: 2, shuffle: true });
    return [firsts(loader), firsts(loader)];
  },
  loaderWithAGenerator: () =>
    firsts(new data.DataLoader(numbered(6), { batchSize: 4, shuffle: true, generator: seeded() })),
  randomSplitWithAGenerator() {
    const [a, b] = data.randomSplit(numbered(5), [3, 2], seeded());
    const all = (part: typeof a) => Array.from({ length: part!.length }, (_, i) => part!.get(i)[0]);
    return [all(a), all(b), refused(() => data.randomSplit(numbered(5), [3, 3]))];
  },
};
