// Starts a decoder that emscripten compiled to WebAssembly, synchronously. Emscripten's own start is asynchronous,
// because it loads the file itself. Knows no format.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

interface Instance {
  readonly exports: object;
}

/** The WebAssembly classes. Node has them, but only the browser's type definitions declare them. */
interface WebAssemblyClasses {
  readonly Module: new (file: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => Instance;
}

const { WebAssembly } = globalThis as unknown as { readonly WebAssembly: WebAssemblyClasses };

const require = createRequire(import.meta.url);
const compiled = new Map<string, object>();

/**
 * @param script the package's file that makes the codec, as an ES module or not @param wasm the program that the script
 *   runs
 */
export function startCodec<Codec>(script: string, wasm: string): Codec {
  let program = compiled.get(wasm);
  if (program === undefined) {
    program = new WebAssembly.Module(readFileSync(require.resolve(wasm)));
    compiled.set(wasm, program);
  }
  const module = program;
  const settings = {
    instantiateWasm(imports: object, ready: (instance: Instance, module: object) => void): object {
      const instance = new WebAssembly.Instance(module, imports);
      ready(instance, module);
      return instance.exports;
    },
    print() {},
    printErr() {},
  };
  type Make = (given: object) => unknown;
  const made = require(script) as Make | { readonly default: Make };
  (typeof made === "function" ? made : made.default)(settings);
  return settings as unknown as Codec;
}
