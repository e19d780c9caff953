const FIRST_BYTES = 16_384;

/**
 * Stores many texts as UTF-8 in one buffer, numbered from 0. For short texts, separate strings take several times as
 * much memory. Also used in browsers.
 */
export class Texts {
  #bytes = new Uint8Array(FIRST_BYTES);
  readonly #ends: number[] = [];

  get count(): number {
    return this.#ends.length;
  }

  /** Adds a text. Returns its number. */
  add(text: Uint8Array): number {
    const from = this.#ends.at(-1) ?? 0;
    const end = from + text.length;
    if (end > this.#bytes.length) this.#grow(end);
    this.#bytes.set(text, from);
    return this.#ends.push(end) - 1;
  }

  /** The bytes of a text, valid until the next call of `add`. */
  get(number: number): Uint8Array {
    return this.#bytes.subarray(this.#ends[number - 1] ?? 0, this.#ends[number]);
  }

  #grow(least: number): void {
    const before = this.#bytes;
    this.#bytes = new Uint8Array(Math.max(least, before.length * 2));
    this.#bytes.set(before);
  }
}
