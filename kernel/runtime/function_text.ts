// Replaces `Function.prototype.toString`: a function of a cell prints what the user wrote, and not the compiler's checks, so
// that its text runs in any realm: in a browser's page, in a worker, in a database. Does not know where the texts come
// from. Imported before `primordials.ts` takes note of the originals, of which it is one.

type TextOf = (running: string) => string;

const { apply } = Reflect;
const native = Function.prototype.toString;
const texts = new WeakMap<object, string>();
const known = WeakMap.prototype.get.bind(texts) as (of: object) => string | undefined;
const remember = WeakMap.prototype.set.bind(texts) as (of: object, text: string) => unknown;
let textOf: TextOf = (running) => running;

/** A method, because it is no constructor, as the original is none. */
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

/** @param given the text to print for that of a function which V8 runs */
export function printFunctionsAs(given: TextOf): void {
  textOf = given;
}
