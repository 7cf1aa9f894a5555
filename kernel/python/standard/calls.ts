// Converts calls of Python's standard modules, and of PyTorch's that are something else here.
import { type Arguments, written } from "../expressions/arguments.ts";
import { BUILTINS } from "../expressions/builtins.ts";
import { bound, type Code, code, LEVEL, receiver } from "../code.ts";
import { type Context, helper, library, mark, need, nodePath } from "../context.ts";
import { isDict, isList, isNumber, isTensor } from "../kinds.ts";
import { isModule } from "../names/members.ts";
import type { Node } from "../source/syntax.ts";
import { COLLECTION_CALLS } from "./collections.ts";
import { partial, reduce } from "./functools.ts";
import { joinedPath } from "./pathlib.ts";
import { PATTERN_CALLS } from "./patterns.ts";
import { TYPED_TENSORS } from "./values.ts";

type Convert = (given: Arguments, context: Context, node: Node) => Code;

const texts = ({ positional }: Arguments): string[] => positional.map(written);
const keyword = ({ keywords }: Arguments, name: string): string | undefined =>
  keywords.find((one) => one.name === name)?.value.text;

const call =
  (name: string, kind = "float", module?: string): Convert =>
  (given, context) => {
    if (module !== undefined) need(context, module, name.replace(/\..*/, ""));
    return code(`${name}(${texts(given).join(", ")})`, kind);
  };
const value =
  (text: string, kind: string, level: number = LEVEL.primary): Convert =>
  () =>
    code(text, kind, level);
/** A call of a function of whole numbers that the cell brings along. */
const brought =
  (name: string): Convert =>
  (given, context) =>
    code(`${helper(context, name)}(${texts(given).join(", ")})`, "int");
/** Not here at all; the text runs, and the mark says what to look at. */
const marked =
  (text: string, message: string, kind = ""): Convert =>
  (given, context, node) => {
    mark(context, node, message);
    return code(text.replace("$1", texts(given)[0] ?? "undefined"), kind);
  };

/** What goes over a bar of progress goes over what the bar shows: there is no bar here. */
const progress: Convert = (given) => given.positional[0]?.value ?? code("[]", "list");

const MATH =
  "sqrt exp sin cos tan asin acos atan atan2 sinh cosh tanh log2 log10 log1p expm1 floor ceil trunc pow hypot".split(
    " ",
  );

const CALLS: Readonly<Record<string, (...of: Parameters<Convert>) => Code | null>> = {
  ...COLLECTION_CALLS,
  ...PATTERN_CALLS,
  ...Object.fromEntries(MATH.map((name) => [`math.${name}`, call(`Math.${name}`)])),
  ...Object.fromEntries(
    ["floor", "ceil", "trunc"].map((name) => [`math.${name}`, call(`Math.${name}`, "int")]),
  ),
  "math.fabs": call("Math.abs"),
  "math.log": (given) => {
    const [of = "1", base] = texts(given);
    return base === undefined
      ? code(`Math.log(${of})`, "number")
      : code(`Math.log(${of}) / Math.log(${base})`, "number", LEVEL.product);
  },
  "math.isnan": call("Number.isNaN", "boolean"),
  "math.isfinite": call("Number.isFinite", "boolean"),
  "math.isinf": (given) => code(`Math.abs(${texts(given)[0]}) === Infinity`, "boolean", LEVEL.equality),
  "math.prod": (given) => code(`${texts(given)[0]}.reduce((product, one) => product * one, 1)`, "number"),
  "math.gcd": brought("gcdOf"),
  "math.factorial": brought("factorialOf"),
  "math.comb": brought("chooseOf"),
  "math.isqrt": brought("rootOf"),
  "math.radians": (given) =>
    code(`${receiver(given.positional[0]!.value)} * Math.PI / 180`, "number", LEVEL.product),
  "time.time": value("Date.now() / 1000", "float", LEVEL.product),
  "time.perf_counter": value("performance.now() / 1000", "number", LEVEL.product),
  "time.monotonic": value("performance.now() / 1000", "number", LEVEL.product),
  "time.sleep": (given, context, node) => {
    if (!context.isTopLevel)
      mark(
        context,
        node,
        "to wait is asynchronous: write async before the function, and await before its calls",
      );
    need(context, "node:timers/promises", "setTimeout", "sleep");
    return code(
      `await sleep(${bound(given.positional[0]?.value ?? code("0"), LEVEL.product)} * 1000)`,
      "",
      LEVEL.unary,
    );
  },
  "gc.collect": (_, context) => code(`${library(context, "lab")}.flush()`),
  "io.open": (given, context, node) => BUILTINS["open"]!(given, context, node)!,
  "os.cpu_count": call("availableParallelism", "int", "node:os"),
  "os.getcwd": call("process.cwd", "text"),
  "os.getpid": value("process.pid", "number"),
  "os.getenv": (given) => {
    const [name = '""', otherwise] = texts(given);
    return otherwise === undefined
      ? code(`process.env[${name}]`)
      : code(`process.env[${name}] ?? ${otherwise}`, "text", 3);
  },
  "os.environ.get": (given) => {
    const [name = '""', otherwise = "null"] = texts(given);
    return code(`process.env[${name}] ?? ${otherwise}`, "", 3);
  },
  "os.makedirs": (given, context) => {
    need(context, "node:fs", "mkdirSync");
    return code(`mkdirSync(${texts(given)[0]}, { recursive: true })`);
  },
  "os.mkdir": call("mkdirSync", "", "node:fs"),
  "os.remove": call("rmSync", "", "node:fs"),
  "os.listdir": call("readdirSync", "list text", "node:fs"),
  "shutil.copyfile": call("copyFileSync", "", "node:fs"),
  "warnings.warn": (given) => code(`console.warn(${texts(given)[0]})`, "none"),
  "os.path.exists": call("existsSync", "boolean", "node:fs"),
  "os.path.isfile": (given, context) => {
    need(context, "node:fs", "statSync");
    return code(`(statSync(${texts(given)[0]}, { throwIfNoEntry: false })?.isFile() ?? false)`, "boolean");
  },
  "os.path.getsize": (given, context) => {
    need(context, "node:fs", "statSync");
    return code(`statSync(${texts(given)[0]}).size`, "number");
  },
  "pathlib.Path": (given, context) => joinedPath(texts(given), context),
  "os.path.realpath": (given, context) => {
    need(context, "node:fs", "realpathSync");
    return code(`realpathSync(${nodePath(context)}.resolve(${texts(given)[0]}))`, "text");
  },
  "os.path.join": pathCall("join"),
  "os.path.basename": pathCall("basename"),
  "os.path.dirname": pathCall("dirname"),
  "os.path.abspath": pathCall("resolve"),
  "os.path.expanduser": (given, context) => {
    need(context, "node:os", "homedir");
    return code(`${texts(given)[0]}.replace(/^~/, homedir())`, "text");
  },
  "json.dumps": (given, context, node) => {
    mark(
      context,
      node,
      "JSON.stringify writes null for NaN, 2 for 2.0, and no blanks where no indent is given",
    );
    const indent = keyword(given, "indent");
    return code(
      `JSON.stringify(${texts(given)[0]}${indent === undefined ? "" : `, null, ${indent}`})`,
      "text",
    );
  },
  "json.loads": call("JSON.parse", ""),
  "json.dump": (given, context) => {
    need(context, "node:fs", "writeSync");
    const [data = "{}", file = "1"] = texts(given);
    return code(`writeSync(${file}, JSON.stringify(${data}))`);
  },
  "json.load": (given, context) => {
    need(context, "node:fs", "readFileSync");
    return code(`JSON.parse(readFileSync(${texts(given)[0]}, "utf8"))`);
  },
  "random.seed": (given, context, node) => {
    // torch has a generator of its own, which goes on where it was.
    mark(context, node, "Math.random() takes no seed: draw with torch.rand where a number must come again");
    return code("undefined", "none");
  },
  "numpy.finfo": limits("finfo"),
  "numpy.iinfo": limits("iinfo"),
  "numpy.random.seed": value("undefined", "none"),
  "matplotlib.get_backend": value('""', "text"),
  "copy.copy": (given, context, node) => {
    const of = given.positional[0]?.value ?? code("undefined");
    if (isList(of.kind)) return code(`[...${of.text}]`, of.kind);
    if (!isDict(of.kind))
      mark(context, node, "a copy that shares what is inside is { ...of } of an object here");
    return code(`{ ...${of.text} }`, of.kind);
  },
  "copy.deepcopy": (given, context) => {
    const of = given.positional[0]?.value ?? code("undefined");
    return isModule(of.kind, context)
      ? code(`${of.text}.clone()`, of.kind)
      : code(`${helper(context, "deepCopy")}(${of.text})`, of.kind);
  },
  "functools.partial": partial,
  "functools.reduce": reduce,
  "sys.exit": marked("undefined", "a cell ends by throw new Error(...)"),
  "platform.system": call("type", "text", "node:os"),
  "platform.release": call("release", "text", "node:os"),
  "platform.machine": call("machine", "text", "node:os"),
  "platform.processor": call("arch", "text", "node:os"),
  "platform.node": call("hostname", "text", "node:os"),
  "platform.python_version": value("process.version", "text"),
  "platform.platform": (_, context) => {
    for (const name of ["type", "release", "machine"]) need(context, "node:os", name);
    return code("`${type()}-${release()}-${machine()}`", "text");
  },
  "platform.mac_ver": (_, context, node) => {
    need(context, "node:os", "release");
    mark(context, node, "Node knows the version of Darwin: macOS 14 is Darwin 23");
    return code("[release()]", "list text");
  },
  "multiprocessing.set_start_method": marked(
    "undefined",
    "a loader's workers are threads here: there is no start method",
  ),
  ...Object.fromEntries(
    ["tqdm", "tqdm.auto", "tqdm.notebook", "torch.hub"].map((of) => [`${of}.tqdm`, progress]),
  ),
  "torch.device": (given) => {
    const [name = code('"cpu"'), index] = given.positional.map((one) => one.value);
    return index === undefined
      ? { ...name, kind: "device" }
      : code(`\`\${${name.text}}:\${${index.text}}\` as const`, "device", LEVEL.relation);
  },
  "torch.compile": (given, context, node) => {
    mark(
      context,
      node,
      "there is no torch.compile here: PyTorch's compiler reads Python's bytecode; the model runs as it is",
    );
    return given.positional[0]?.value ?? code("undefined");
  },
  "torch.from_numpy": (given, context, node) => {
    const of = given.positional[0]?.value;
    // What numpy would have made is a tensor here, which shares its memory with itself.
    if (of !== undefined && isTensor(of.kind)) return of;
    mark(
      context,
      node,
      "there is no numpy here: torch.tensor takes lists, torch.fromTypedArray a typed array",
    );
    const text = texts(given)[0];
    // In a cell it may be an array, which is a tensor already.
    if (!context.isShownAlone && of?.kind === "")
      return code(`${helper(context, "arrayOf")}(${text})`, "tensor");
    return code(`${library(context, "torch")}.tensor(${text})`, "tensor");
  },
  "torchvision.transforms.Lambda": (given) => given.positional[0]?.value ?? code("(image: any) => image"),
  "torch.autograd.Variable": (given, context, node) => {
    const of = given.positional[0]?.value ?? code("undefined");
    const needs = given.keywords.find(({ name }) => name === "requires_grad")?.value.text;
    if (given.positional.length > 1 || given.keywords.some(({ name }) => name !== "requires_grad"))
      mark(context, node, "a Variable is its tensor, and takes requires_grad alone");
    return needs === undefined ? of : code(`${receiver(of)}.requiresGrad_(${needs})`, of.kind);
  },
  "torch.utils.checkpoint.checkpoint": (given, context) => {
    const [run = "", ...inputs] = texts(given);
    return code(`${library(context, "torch")}.checkpoint(${run}, [${inputs.join(", ")}])`, "tensor");
  },
  ...Object.fromEntries(
    Object.entries(TYPED_TENSORS).map(([name, dtype]) => [`torch.${name}`, typedTensor(dtype)]),
  ),
  "torch.Tensor": typedTensor(null),
  "torch.Size": (given) => given.positional[0]?.value ?? code("[]", "list number"),
};

/** `np.finfo(np.float32).eps`, which is the same number of tensors. */
function limits(name: string): Convert {
  return (given, context) => code(`${library(context, "torch")}.${name}(${texts(given)[0]})`, "limits");
}

/** `torch.FloatTensor(2, 3)` is of that size, and `torch.FloatTensor([2, 3])` of these values. */
function typedTensor(named: string | null): Convert {
  return (given, context, node) => {
    const { positional } = given;
    const torch = library(context, "torch");
    const dtype = named ?? "float32";
    const options = `{ dtype: ${named === null ? `${torch}.getDefaultDtype()` : `"${named}"`} }`;
    const isSizes =
      positional.length > 1 || positional.every(({ value, spread }) => isNumber(value.kind) || spread);
    if (isSizes) {
      const sizes = positional.map(written).join(", ") || "0";
      return code(`${torch}.empty([${sizes}]${named === null ? "" : `, ${options}`})`, "tensor");
    }
    const [{ value: values }] = positional as [(typeof positional)[number]];
    if (isTensor(values.kind))
      return code(`${receiver(values)}.to(${options.slice("{ dtype: ".length, -2)})`, "tensor");
    if (values.kind === "") mark(context, node, `of a size this is ${torch}.empty(..., ${options})`);
    const kind = dtype.includes("float") ? "tensor float" : "tensor";
    return code(`${torch}.tensor(${texts(given)[0]}, ${options})`, kind);
  };
}

/** Converts a call of a path that is not the library's own, or null. */
export function standardCall(path: string, given: Arguments, context: Context, node: Node): Code | null {
  const known = path
    .replace(/^torch\.cuda\.amp\./, "torch.amp.")
    .replace(/^torchvision\.transforms\.v2\./, "torchvision.transforms.");
  return Object.hasOwn(CALLS, known) ? CALLS[known]!(given, context, node) : null;
}

function pathCall(name: string): Convert {
  return (given, context) => {
    return code(`${nodePath(context)}.${name}(${texts(given).join(", ")})`, "text");
  };
}
