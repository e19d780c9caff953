import { createHash } from 'node:crypto';

/** 32-bit words of a slot: three of the key's hash, and the number plus 1, which is 0 in an empty slot. */
const WORDS = 4;
const NUMBER = 3;
const FIRST_SLOTS = 1_024;
const FULL = 0.7;

/**
 * A number for each key, for files of millions of keys: a key takes some thirty bytes however long it is, in a table that no garbage
 * collection goes through. It is known by 96 bits of its SHA-1, which two keys do not share by chance.
 */
export class KeyTable {
  #slots = new Uint32Array(FIRST_SLOTS * WORDS);
  #size = 0;

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  get(key: string): number | undefined {
    const number = this.#slots[this.#slotOf(hashOf(key)) + NUMBER] ?? 0;
    return number > 0 ? number - 1 : undefined;
  }

  /** Whole numbers from 0. */
  set(key: string, number: number): void {
    if (this.#size >= FULL * (this.#slots.length / WORDS)) this.#grow();
    const words = hashOf(key);
    const slot = this.#slotOf(words);
    if (this.#slots[slot + NUMBER] === 0) this.#size += 1;
    this.#slots.set(words, slot);
    this.#slots[slot + NUMBER] = number + 1;
  }

  /** Where the key with this hash is, or would be. */
  #slotOf(words: Uint32Array): number {
    let slot = ((words[0] ?? 0) % (this.#slots.length / WORDS)) * WORDS;
    while ((this.#slots[slot + NUMBER] ?? 0) > 0 && !this.#isAt(slot, words)) {
      slot = (slot + WORDS) % this.#slots.length;
    }
    return slot;
  }

  #isAt(slot: number, words: Uint32Array): boolean {
    return words.every((word, i) => word === this.#slots[slot + i]);
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Uint32Array(before.length * 2);
    for (let slot = 0; slot < before.length; slot += WORDS) {
      if (before[slot + NUMBER] === 0) continue;
      const entry = before.subarray(slot, slot + WORDS);
      this.#slots.set(entry, this.#slotOf(entry.subarray(0, NUMBER)));
    }
  }
}

function hashOf(key: string): Uint32Array {
  const bytes = createHash('sha1').update(key).digest();
  return Uint32Array.from({ length: NUMBER }, (_, i) => bytes.readUInt32LE(i * 4));
}
