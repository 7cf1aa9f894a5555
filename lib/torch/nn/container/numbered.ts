// Holds modules under the numbers 0, 1, 2... Sequential and ModuleList extend it.
import { checkIterable } from "../../tensor/tensor_arguments.ts";
import { checkInteger, describe } from "../../vocabulary/arguments.ts";
import { namesAreKeys, setField } from "../module/members.ts";
import { Module } from "../module/base.ts";

/** Members under the numbers 0, 1, 2...: what `ModuleList` and `Sequential` share. */
export abstract class NumberedModules<Member extends Module> extends Module implements Iterable<Member> {
  readonly [index: number]: Member;

  /** Adds a member under a name that nothing else has. */
  protected add(name: string, member: Member): void {
    const { name: className } = this.constructor;
    if (!(member instanceof Module)) {
      throw new TypeError(`${className}: layer ${name} must be a module, got ${describe(member)}.`);
    }
    if (name in this) {
      throw new TypeError(
        `${className}: a layer cannot be named "${name}", which ${className} itself uses. Choose another name.`,
      );
    }
    setField(this, name, member);
  }

  protected members(): Member[] {
    return Object.values(this).filter((field): field is Member => field instanceof Module);
  }

  get length(): number {
    return this.members().length;
  }

  [Symbol.iterator](): IterableIterator<Member> {
    return this.members().values();
  }

  /** One of them; -1 is the last. */
  at(index: number): Member {
    return this.members()[this._place("at", index, this.length - 1)]!;
  }

  /** Adds a module at the end, under its number. */
  append(member: Member): this {
    this.add(String(this.length), member);
    return this;
  }

  /** Adds modules at the end. */
  extend(members: Iterable<Member>): this {
    const call = `${this.constructor.name}.extend`;
    for (const member of [...checkIterable(call, "the modules", members)]) this.append(member);
    return this;
  }

  /** Adds a module before the one at an index; those after it move up by one number. */
  insert(index: number, member: Member): this {
    const place = this._place("insert", index, this.length);
    if (!(member instanceof Module)) {
      throw new TypeError(
        `${this.constructor.name}: layer ${index} must be a module, got ${describe(member)}.`,
      );
    }
    this._renumber(this.members().toSpliced(place, 0, member));
    return this;
  }

  /** Removes the module at an index (default: the last) and returns it. */
  pop(index = -1): Member {
    const place = this._place("pop", index, this.length - 1);
    const members = this.members();
    this._renumber(members.toSpliced(place, 1));
    return members[place]!;
  }

  private _place(method: string, index: number, max: number): number {
    const call = `${this.constructor.name}.${method}`;
    checkInteger(call, "index", index, -Infinity);
    const place = index < 0 ? index + this.length : index;
    if (place >= 0 && place <= max) return place;
    throw new RangeError(`${call}: index ${index} is out of range for ${this.length} modules.`);
  }

  private _renumber(members: readonly Member[]): void {
    for (const [name, field] of Object.entries(this))
      if (field instanceof Module) Reflect.deleteProperty(this, name);
    for (const [index, member] of members.entries()) this.add(String(index), member);
  }
}

Object.defineProperty(NumberedModules.prototype, namesAreKeys, { value: true });
