// Finds the tokens that stand outside of a tokenizer's model, such as `<pad>`, in a text before the model splits the rest.
// The longest one wins where several begin. added_vocabulary.rs (tokenizers)

export interface AddedToken {
  readonly id: number;
  readonly content: string;
  /** Whether decoding leaves it out. */
  readonly special: boolean;
}

export class AddedTokens {
  readonly tokens: readonly AddedToken[];
  readonly #ids: ReadonlyMap<string, number>;
  readonly #special: ReadonlySet<number>;
  readonly #pattern: RegExp | null;

  constructor(tokens: readonly AddedToken[]) {
    this.tokens = tokens;
    this.#ids = new Map(tokens.map(({ content, id }) => [content, id]));
    this.#special = new Set(tokens.filter(({ special }) => special).map(({ id }) => id));
    const contents = [...this.#ids.keys()].toSorted((a, b) => b.length - a.length);
    this.#pattern = contents.length === 0 ? null : new RegExp(`(${contents.map(escaped).join("|")})`, "u");
  }

  isSpecial(id: number): boolean {
    return this.#special.has(id);
  }

  /** Ids of a text: those of the added tokens in it, and between them what `encode` returns for the text there. */
  encodeAround(text: string, encode: (text: string) => readonly number[]): number[] {
    if (this.#pattern === null) return [...encode(text)];
    return text
      .split(this.#pattern)
      .flatMap((piece, i) => (i % 2 === 1 ? this.#ids.get(piece)! : encode(piece)));
  }
}

const escaped = (text: string) => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
