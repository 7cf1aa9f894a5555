// Calls operators through an array of numbers. Tensors, numbers, booleans and lists of numbers or tensors are written
// into it, and the addon reads it (`native/call/fast_call.cc`). This costs a few nanoseconds where Node-API's checks
// of each argument cost hundreds. Calls with any other argument go through Node-API.
import { giveSlot, takeSlot } from "./slots.ts";
import { Slot, Wrapper } from "./wrapper.ts";

/** A number that names an operator (all its overloads, or one of them) for `call`. */
export type OperatorId = number & { readonly __operator: unique symbol };

/** The part of the addon that fast calls use. */
export interface FastCallAddon {
  readonly exchange: Float64Array;
  /** The number of a wrapper that has none yet; 0 for any other value. */
  numberOf(value: unknown): number;
  fastCall(slot: Slot, ...alive: unknown[]): unknown;
  callInto(operator: OperatorId, wrapper: Wrapper, ...args: unknown[]): unknown;
}

export interface Calls {
  call(operator: OperatorId, ...args: unknown[]): unknown;
  /** As `call`, for the commonest numbers of arguments: a rest array costs more than a small operator. */
  call1(operator: OperatorId, a: unknown): unknown;
  call2(operator: OperatorId, a: unknown, b: unknown): unknown;
  call3(operator: OperatorId, a: unknown, b: unknown, c: unknown): unknown;
}

// These positions and kinds must match native/call/fast_call.cc.
const OPERATOR = 0;
const KINDS = 1;
const USED = 2;
const REUSED = 3;
const FIRST = 4;
const DECLINED = -100;
/** At most this many, because their kinds must fit into a signed integer of 32 bits. */
const MAX_ARGUMENTS = 7;
const KIND = { TENSOR: 1, NUMBER: 2, BOOLEAN: 3, NULL: 4, UNDEFINED: 5, NUMBERS: 6, TENSORS: 7 } as const;

/**
 * An operator's arguments nest at most this deep: lists in a list in options. Deeper ones are refused, because such a
 * list may contain itself.
 */
const MAX_LEVELS = 4;

/**
 * Copies lists, and options in plain objects. The addon reads an argument several times, to find the overload and to
 * convert it; without a copy, a getter or a Proxy could return something else the second time.
 */
function readOnce(value: unknown, levels: number = MAX_LEVELS): unknown {
  if (typeof value !== "object" || value === null || value instanceof Wrapper || levels === 0) return value;
  const inside = (element: unknown) => readOnce(element, levels - 1);
  if (Array.isArray(value)) return Array.from(value, inside);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, option]) => [name, inside(option)]));
}

export function makeCalls(addon: FastCallAddon): Calls {
  const { exchange, fastCall, callInto, numberOf } = addon;
  const PLACES = exchange.length;
  let place = FIRST;
  /** How many calls have begun. Reading a list may run a getter or a Proxy's trap, which may call an operator. */
  let begun = 0;

  /** Writes an argument and returns its kind; 0 if it has none that can be written. */
  function write(value: unknown): number {
    if (typeof value === "object") {
      if (value === null) {
        place++;
        return KIND.NULL;
      }
      let number = Wrapper.number(value);
      if (number === 0) {
        if (Array.isArray(value)) return writeList(value);
        number = adopt(value);
        if (number === 0) return 0;
      }
      exchange[place++] = number;
      return KIND.TENSOR;
    }
    if (typeof value === "number") {
      exchange[place++] = value;
      return KIND.NUMBER;
    }
    if (typeof value === "boolean") {
      exchange[place++] = value ? 1 : 0;
      return KIND.BOOLEAN;
    }
    if (value === undefined) {
      place++;
      return KIND.UNDEFINED;
    }
    return 0;
  }

  /** Writes a list of numbers or of tensors. Lists with holes, strings or lists are not written. */
  function writeList(values: readonly unknown[]): number {
    const { length } = values;
    if (place + length >= PLACES) return 0;
    const lengthPlace = place++;
    const call = begun;
    let kind: number | null = length === 0 ? KIND.NUMBER : null;
    for (let i = 0; i < length; i++) {
      const value = values[i];
      // Another call has begun, and its arguments are in these places now.
      if (begun !== call) return 0;
      kind ??= typeof value === "number" ? KIND.NUMBER : KIND.TENSOR;
      if (Array.isArray(value) || write(value) !== kind) return 0;
    }
    exchange[lengthPlace] = length;
    return kind === KIND.NUMBER ? KIND.NUMBERS : KIND.TENSORS;
  }

  /** Gives a number to a wrapper that the addon made. An options object has none, and is asked for it each time. */
  function adopt(value: object): number {
    if (!(value instanceof Wrapper)) return 0;
    const number = numberOf(value);
    if (number !== 0) Wrapper.setSlot(value, new Slot(number));
    return number;
  }

  function ask(operator: OperatorId, kinds: number): Slot {
    const slot = takeSlot();
    exchange[OPERATOR] = operator;
    exchange[KINDS] = kinds;
    exchange[USED] = place;
    exchange[REUSED] = slot.number;
    return slot;
  }

  /** Returns an unused slot. A new one is left to the garbage collector. */
  function giveUnused(slot: Slot): void {
    if (slot.number !== 0) giveSlot(slot);
  }

  function wrap(slot: Slot, number: number): Wrapper {
    slot.number = number;
    return new Wrapper(slot);
  }

  return {
    call(operator, ...args) {
      begun++;
      place = FIRST;
      let kinds = 0;
      let fits = args.length > 0 && args.length <= MAX_ARGUMENTS;
      for (let i = 0; fits && i < args.length; i++) {
        const kind = write(args[i]);
        kinds |= kind << (4 * i);
        fits = kind !== 0;
      }
      if (fits) {
        const slot = ask(operator, kinds);
        const returned = fastCall(slot, args);
        const answer = exchange[0]! | 0;
        if (answer > 0) return wrap(slot, answer);
        giveUnused(slot);
        if (answer === 0) return returned;
        if (answer !== DECLINED) return args[-1 - answer];
      }
      return callInto(operator, new Wrapper(), ...args.map((value) => readOnce(value)));
    },

    call1(operator, a) {
      begun++;
      place = FIRST;
      const first = write(a);
      if (first !== 0) {
        const slot = ask(operator, first);
        const returned = fastCall(slot, a);
        const answer = exchange[0]! | 0;
        if (answer > 0) return wrap(slot, answer);
        giveUnused(slot);
        if (answer === 0) return returned;
        if (answer !== DECLINED) return a;
      }
      return callInto(operator, new Wrapper(), readOnce(a));
    },

    call2(operator, a, b) {
      begun++;
      place = FIRST;
      const first = write(a);
      const second = first === 0 ? 0 : write(b);
      if (second !== 0) {
        const slot = ask(operator, first | (second << 4));
        const returned = fastCall(slot, a, b);
        const answer = exchange[0]! | 0;
        if (answer > 0) return wrap(slot, answer);
        giveUnused(slot);
        if (answer === 0) return returned;
        if (answer !== DECLINED) return answer === -1 ? a : b;
      }
      return callInto(operator, new Wrapper(), readOnce(a), readOnce(b));
    },

    call3(operator, a, b, c) {
      begun++;
      place = FIRST;
      const first = write(a);
      const second = first === 0 ? 0 : write(b);
      const third = second === 0 ? 0 : write(c);
      if (third !== 0) {
        const slot = ask(operator, first | (second << 4) | (third << 8));
        const returned = fastCall(slot, a, b, c);
        const answer = exchange[0]! | 0;
        if (answer > 0) return wrap(slot, answer);
        giveUnused(slot);
        if (answer === 0) return returned;
        if (answer !== DECLINED) return answer === -1 ? a : answer === -2 ? b : c;
      }
      return callInto(operator, new Wrapper(), readOnce(a), readOnce(b), readOnce(c));
    },
  };
}
