// Replaces `Function.prototype.toString`: a cell's function prints as the user wrote it, without the compiler's checks,
// so that its text runs in any realm: a browser's page, a worker, a database. Does not know where the texts come from.
// It must be imported before `replaced_builtins.ts` keeps the originals, because the replacement counts as one of them.

type TextOf = (running: string) => string;

const { apply } = Reflect;
const native = Function.prototype.toString;
const texts = new WeakMap<object, string>();
const known = WeakMap.prototype.get.bind(texts) as (of: object) => string | undefined;
const remember = WeakMap.prototype.set.bind(texts) as (of: object, text: string) => unknown;
let textOf: TextOf = (running) => running;

/** A method, so that it is no constructor, like the original. */
const { toString } = {
  toString(this: object): string {
    const text = known(this);
    if (text !== undefined) return text;
    const running = apply(native, this, []) as string;
    const own = textOf(running);
    remember(this, own);
    return own;
  },
};

remember(toString, apply(native, native, []) as string);
// oxlint-disable-next-line no-extend-native -- there is no other way to the text of `String(f)`
Object.defineProperty(Function.prototype, "toString", {
  value: toString,
  writable: true,
  configurable: true,
  enumerable: false,
});

/** @param given returns the text to print for a function, from the text that V8 runs */
export function printFunctionsAs(given: TextOf): void {
  textOf = given;
}
