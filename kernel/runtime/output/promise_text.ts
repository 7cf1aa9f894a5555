// Prints promises without the symbols with which AsyncLocalStorage marks them, which `console.log` would show.
//
//     Promise { 4, [Symbol(async_id_symbol)]: 182, ..., [Symbol(kResourceStore)]: Cell { ... } }  ->  Promise { 4 }
import { inspect } from "node:util";

const MARKS = new Set(["async_id_symbol", "trigger_async_id_symbol", "kResourceStore"]);

/** Changes `Promise.prototype`, because there is no other way to reach promises inside other objects. */
export function hideAsyncMarks(): void {
  const prototype: object = Promise.prototype;
  Object.defineProperty(prototype, inspect.custom, {
    value(this: Promise<unknown>, _depth: number, options: object): string {
      for (const symbol of Object.getOwnPropertySymbols(this)) {
        if (MARKS.has(symbol.description ?? "")) Object.defineProperty(this, symbol, { enumerable: false });
      }
      // From now on this promise prints in the ordinary way.
      Object.defineProperty(this, inspect.custom, { value: undefined, configurable: true });
      return inspect(this, options);
    },
    configurable: true,
  });
}
