// Translates a Metal source to C++ for simulated Metal, line by line, so that a compiler's error names the user's
// line. The C++ definitions of Metal's words are in native/simulated_metal/shading/.
import { type Kernel, readKernels, Refused } from "./kernels.ts";
import { closing, closingAngle, join, neighbour, type Token, tokenize } from "./tokens.ts";

export interface Translation {
  readonly code: string;
  readonly kernels: readonly Kernel[];
}

/** The limits of the addon: kMostKernels and kMostArrays of `threads.h`. */
const MAX_KERNELS = 256;
const MAX_ARRAYS = 16;

/** Metal's words outside of the supported subset, and what to say about them. */
const BEYOND: readonly (readonly [RegExp, string])[] = [
  [/^double$/, "Metal has no double: use float"],
  [/^(texture\w*|depth\w*|sampler)$/, "simulated Metal has no textures and samplers: use buffers"],
  [
    /^simdgroup_(matrix|(float|half|bfloat)\d+x\d+)$/,
    "simulated Metal has no simdgroup matrices: multiply in threadgroup tiles",
  ],
  [/^(float|half)[234]x[234]$/, "simulated Metal has no matrices: use one vector a column"],
  [
    /^(ray_data|object_data|visible_function_table|intersector|imageblock|patch_control_point)$/,
    "simulated Metal runs compute kernels on buffers alone",
  ],
  [/^quad_\w+$/, "simulated Metal has no quad-groups: use simd functions or threadgroup memory"],
  [/^function_constant$/, "simulated Metal has no function constants: use a constant buffer or a template"],
  [/^(goto|new|delete|try|throw|dynamic_cast|virtual|typeid)$/, "Metal's C++ has no such thing"],
];

/** Functions of C's library that a Metal source may define itself. */
const C_NAMES: ReadonlySet<string> = new Set([
  "expm1f",
  "log1pf",
  "erff",
  "erfcf",
  "lgammaf",
  "tgammaf",
  "erfinv",
]);

const POINTER = "::mpslab_shader::pointer";
const ASSIGNS = new Set(["=", "+=", "-=", "*=", "/="]);
const UNARY_BEFORE = new Set([
  "(",
  ",",
  "=",
  "{",
  ";",
  "return",
  "?",
  ":",
  "&&",
  "||",
  "+",
  "-",
  "[",
  "<",
  ">",
  "}",
]);
const WAITS = /^(threadgroup_barrier|simdgroup_barrier|simd_\w+)$/;

/** @throws Refused for a construct outside of the subset */
export function translate(source: string): Translation {
  const tokens = tokenize(source);
  refuseBeyond(tokens);
  const kernels = readKernels(tokens);
  if (kernels.length === 0)
    throw new Refused(1, "there is no kernel: one is written as kernel void name(...)");
  if (kernels.length > MAX_KERNELS)
    throw new Refused(1, `there are ${kernels.length} kernels, and ${MAX_KERNELS} is the most`);
  const bodies = functionBodies(tokens);
  const waiting = whoWaits(tokens, bodies);
  declareArrays(tokens, bodies, kernels);
  writeAddresses(tokens);
  writePointers(tokens);
  writeSwizzles(tokens);
  writeWords(tokens);
  return { code: `${join(tokens)}\n${exportsOf(kernels, waiting)}`, kernels };
}

function refuseBeyond(tokens: readonly Token[]): void {
  for (const [i, { kind, text, line }] of tokens.entries()) {
    if (text === "#" && kind === "sign") refuseDirective(tokens, i);
    if (kind !== "word") continue;
    const beyond = BEYOND.find(([word]) => word.test(text));
    if (beyond) throw new Refused(line, `${text}: ${beyond[1]}`);
  }
}

/** The preprocessor has already run: only pragmas are left. */
function refuseDirective(tokens: readonly Token[], at: number): void {
  const name = neighbour(tokens, at, 1);
  if (name === undefined || tokens[name]!.text === "pragma") return;
  throw new Refused(tokens[at]!.line, `#${tokens[name]!.text} is not part of what simulated Metal takes`);
}

interface Body {
  readonly name: string;
  readonly open: number;
  readonly end: number;
}

/** Finds functions that have a body: `name(...) {`. */
function functionBodies(tokens: readonly Token[]): Body[] {
  const bodies: Body[] = [];
  for (let i = 0; i < tokens.length; i++) {
    if (tokens[i]!.text !== "(") continue;
    const name = neighbour(tokens, i, -1);
    if (name === undefined || tokens[name]!.kind !== "word") continue;
    const end = closing(tokens, i);
    let open = neighbour(tokens, end, 1);
    while (open !== undefined && (tokens[open]!.text === "const" || tokens[open]!.text === "[["))
      open = neighbour(tokens, tokens[open]!.text === "[[" ? closing(tokens, open) : open, 1);
    if (open === undefined || tokens[open]!.text !== "{") {
      i = end;
      continue;
    }
    bodies.push({ name: tokens[name]!.text, open, end: closing(tokens, open) });
    i = closing(tokens, open);
  }
  return bodies;
}

/** Functions in which a thread waits for others, directly or in a function that they call. */
function whoWaits(tokens: readonly Token[], bodies: readonly Body[]): ReadonlySet<string> {
  const words = bodies.map(({ name, open, end }) => ({
    name,
    uses: new Set(
      tokens
        .slice(open, end)
        .filter(({ kind }) => kind === "word")
        .map(({ text }) => text),
    ),
  }));
  const waiting = new Set<string>();
  for (let before = -1; before !== waiting.size;) {
    before = waiting.size;
    for (const { name, uses } of words)
      if ([...uses].some((word) => WAITS.test(word) || waiting.has(word))) waiting.add(name);
  }
  return waiting;
}

/** Threadgroup arrays are shared by the threads of a group; on the host, all of these run on one thread. */
function declareArrays(tokens: Token[], bodies: readonly Body[], kernels: readonly Kernel[]): void {
  const arrays = new Map<string, number>();
  for (let i = 0; i < tokens.length; i++) {
    const { kind, text, line } = tokens[i]!;
    if (kind !== "word" || text !== "threadgroup") continue;
    const end = statementEnd(tokens, i);
    const names = tokens[end]!.text === ";" ? declaredNames(tokens, i, end) : [];
    const body = bodies.find(({ open, end: last }) => open < i && i < last);
    if (names.length === 0 || body === undefined) {
      tokens[i]!.text = "";
      continue;
    }
    const kernel = kernels.findIndex(({ definition }) => definition === body.name);
    if (kernel < 0) throw new Refused(line, "threadgroup variables are declared in a kernel's own body");
    tokens[i]!.text = "static thread_local";
    for (const name of names) {
      const place = arrays.get(body.name) ?? 0;
      if (place === MAX_ARRAYS)
        throw new Refused(line, `a kernel has at most ${MAX_ARRAYS} threadgroup variables here`);
      arrays.set(body.name, place + 1);
      tokens[end]!.text +=
        ` (void)::mpslab_shader::Threadgroup<${kernel}, ${place}, sizeof(${name})>::noted;`;
    }
  }
}

/**
 * The `;` that ends the declaration at `at`, or the token that shows that it is not a declaration: the `,` or `)` of a
 * parameter, the `>` of a cast.
 */
function statementEnd(tokens: readonly Token[], at: number): number {
  for (let i = at; i < tokens.length; i++) {
    const { text } = tokens[i]!;
    if (text === "<") i = closingAngle(tokens, i);
    else if (text === "[" || text === "{" || text === "(") i = closing(tokens, i);
    else if (text === ";" || text === ")" || text === "}" || text === ">") return i;
  }
  return tokens.length - 1;
}

/** `threadgroup float a[16], b[16];` -> a, b; empty for a pointer or a reference. */
function declaredNames(tokens: readonly Token[], at: number, end: number): string[] {
  const names: string[] = [];
  let last = "";
  for (let i = at + 1; i <= end; i++) {
    const { kind, text } = tokens[i]!;
    if (text === "*" || text === "&") return [];
    if (text === "<") i = closingAngle(tokens, i);
    else if (kind === "word") last = text;
    else if (text === "[" || text === "," || text === ";" || text === "=") {
      if (last !== "") names.push(last);
      last = "";
      if (text === "[") i = closing(tokens, i);
    }
  }
  return names;
}

/** `&p[i]` as a whole operand -> `address(p, i)`: an address behind the end is allowed as long as it is not used. */
function writeAddresses(tokens: Token[]): void {
  for (let i = 0; i < tokens.length; i++) {
    if (tokens[i]!.text !== "&") continue;
    const before = neighbour(tokens, i, -1);
    const name = neighbour(tokens, i, 1);
    if (before === undefined || name === undefined || !UNARY_BEFORE.has(tokens[before]!.text)) continue;
    const open = neighbour(tokens, name, 1);
    if (tokens[name]!.kind !== "word" || open === undefined || tokens[open]!.text !== "[") continue;
    const end = closing(tokens, open);
    const behind = neighbour(tokens, end, 1);
    if (tokens[end]!.text !== "]" || (behind !== undefined && /^(\[|\.|->|\()$/.test(tokens[behind]!.text)))
      continue;
    tokens[i]!.text = "::mpslab_shader::address(";
    tokens[open]!.text = ",";
    tokens[end]!.text = ")";
  }
}

/** `const device float*` -> `pointer<const float>`. For references and values only the address space is removed. */
function writePointers(tokens: Token[]): void {
  for (let i = 0; i < tokens.length; i++) {
    const { kind, text } = tokens[i]!;
    if (kind !== "word" || (text !== "device" && text !== "constant")) continue;
    let isConst = text === "constant";
    const drop = (at: number) => {
      isConst ||= tokens[at]!.text === "const";
      tokens[at]!.text = "";
    };
    for (
      let at = neighbour(tokens, i, -1);
      at !== undefined && /^(const|volatile)$/.test(tokens[at]!.text);
    ) {
      drop(at);
      at = neighbour(tokens, at, -1);
    }
    let at = neighbour(tokens, i, 1);
    while (at !== undefined && /^(const|volatile)$/.test(tokens[at]!.text)) {
      drop(at);
      at = neighbour(tokens, at, 1);
    }
    const end = at === undefined ? undefined : typeEnd(tokens, at);
    let sign = end === undefined ? undefined : neighbour(tokens, end, 1);
    if (sign !== undefined && tokens[sign]!.text === "const") {
      drop(sign);
      sign = neighbour(tokens, sign, 1);
    }
    const constant = isConst ? "const " : "";
    if (sign !== undefined && tokens[sign]!.text === "*") {
      tokens[i]!.text = `${POINTER}<${constant}`;
      tokens[sign]!.text = ">";
    } else {
      const before = neighbour(tokens, i, -1);
      tokens[i]!.text = before !== undefined && tokens[before]!.text === "constexpr" ? "" : constant;
    }
  }
}

const PARTS_OF_INTEGERS = /^(unsigned|signed|long|short|int|char)$/;

/** The last token of the type at `at`: `float4`, `unsigned int`, `metal::vec<T, 4>`. */
function typeEnd(tokens: readonly Token[], at: number): number {
  let end = tokens[at]!.text === "::" ? (neighbour(tokens, at, 1) ?? at) : at;
  for (;;) {
    const next = neighbour(tokens, end, 1);
    if (next === undefined) return end;
    const { text } = tokens[next]!;
    if (text === "::") end = neighbour(tokens, next, 1) ?? next;
    else if (text === "<") end = closingAngle(tokens, next);
    else if (/^(unsigned|signed|long|short|struct)$/.test(tokens[end]!.text) && PARTS_OF_INTEGERS.test(text))
      end = next;
    else return end;
  }
}

const LANES: Readonly<Record<string, number>> = { x: 0, y: 1, z: 2, w: 3, r: 0, g: 1, b: 2, a: 3 };

/** `v.zyx` -> `v.pick(lanes<2, 1, 0>())`; on the left of an assignment `v.place(...)`. */
function writeSwizzles(tokens: Token[]): void {
  const declared = new Set(
    tokens.filter((_, i) => tokens[neighbour(tokens, i, -1) ?? i]?.text !== ".").map(({ text }) => text),
  );
  for (const [i, token] of tokens.entries()) {
    if (!/^([xyzw]{2,4}|[rgba]{2,4})$/.test(token.text) || declared.has(token.text)) continue;
    const before = neighbour(tokens, i, -1);
    if (before === undefined || tokens[before]!.text !== ".") continue;
    const behind = neighbour(tokens, i, 1);
    const assigned = behind !== undefined && ASSIGNS.has(tokens[behind]!.text);
    const lanes = [...token.text].map((lane) => LANES[lane]).join(", ");
    token.text = `${assigned ? "place" : "pick"}(::mpslab_shader::lanes<${lanes}>())`;
  }
}

/** Removes attributes, `kernel` and `thread`, and converts numbers: in Metal, `1.0` is a float. */
function writeWords(tokens: Token[]): void {
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i]!;
    if (token.text === "[[") {
      const end = closing(tokens, i);
      for (; i <= end; i++) if (tokens[i]!.kind !== "space") tokens[i]!.text = "";
      i = end;
    } else if (token.kind === "number") token.text = numberOf(token.text);
    else if (token.kind === "word") {
      if (token.text === "kernel" || token.text === "thread") token.text = "";
      else if (C_NAMES.has(token.text)) token.text = `metal_${token.text}`;
      else if (token.text === "reinterpret_cast") token.text = "::mpslab_shader::reinterpret";
    }
  }
}

/** `1.0` -> `1.0f`, `2h` -> `half(2.0f)` */
function numberOf(text: string): string {
  if (/^0[xX]/.test(text)) return text;
  const [, digits, suffix] = /^([\d.]+(?:[eE][+-]?\d+)?)(\w*)$/.exec(text) ?? [null, text, ""];
  const floating = /[.eE]/.test(digits);
  if (suffix === "h" || suffix === "H") return `half(${floating ? digits : `${digits}.0`}f)`;
  if (suffix === "bf" || suffix === "BF") return `bfloat(${floating ? digits : `${digits}.0`}f)`;
  return floating && suffix === "" ? `${digits}f` : text;
}

function exportsOf(kernels: readonly Kernel[], waiting: ReadonlySet<string>): string {
  const tables = kernels.map(({ parameters }, i) => {
    const stands = parameters.map(
      ({ stands: what, index }) => `{::mpslab_shader::Stands::${what}, ${index}}`,
    );
    const names = bufferNames(parameters).map((name) => JSON.stringify(name));
    return (
      `static constexpr ::mpslab_shader::Parameter mpslab_parameters_${i}[] = {${[...stands, "{}"].join(", ")}};\n` +
      `static const char* const mpslab_names_${i}[] = {${[...names, "nullptr"].join(", ")}};`
    );
  });
  const entries = kernels.map(({ name, symbol, definition, maxThreads, parameters }, i) => {
    const caller = `::mpslab_shader::Caller<&${symbol}, mpslab_parameters_${i}>`;
    const first = kernels.findIndex((other) => other.definition === definition);
    return (
      `  {${JSON.stringify(name)}, &${caller}::runGroup, &${caller}::runThread, ${waiting.has(definition)}, ${maxThreads}, ` +
      `[] { return ::mpslab_shader::threadgroupBytes(${first}); }, ${bufferNames(parameters).length}, mpslab_names_${i}},`
    );
  });
  return (
    `# 1 "exports"\n${tables.join("\n")}\n` +
    `static const ::mpslab_shader::Kernel mpslab_kernels[] = {\n${entries.join("\n")}\n};\n` +
    `extern "C" __attribute__((visibility("default"))) const ::mpslab_shader::Library mpslab_shader_library = {&::mpslab_shader::runtime, mpslab_kernels, ${kernels.length}};\n`
  );
}

/** Returns the names of the buffers by their index. An index without a parameter has an empty name. */
function bufferNames(parameters: Kernel["parameters"]): string[] {
  const names: string[] = [];
  for (const { stands, index, name } of parameters) if (stands === "buffer") names[index] = name;
  return Array.from(names, (name) => name ?? "");
}
