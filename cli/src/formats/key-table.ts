import { Texts } from './texts.ts';

const FIRST_SLOTS = 1_024;
const FULL = 0.7;
// FNV-1a spreads even short keys that differ only in the last letter.
const FNV_BASIS = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/**
 * A map from keys to numbers for millions of keys. Each key takes about thirty bytes in addition to its text, in
 * buffers that the garbage collector does not scan. Also used in browsers.
 */
export class KeyTable {
  /** Index of a key in `#keys` plus 1, or 0 for an empty slot. The size is a power of 2. */
  #slots = new Uint32Array(FIRST_SLOTS);
  readonly #keys = new Texts();
  readonly #numbers: number[] = [];
  readonly #encoder = new TextEncoder();

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  get(key: string): number | undefined {
    const at = this.#slots[this.#slotOf(this.#encoder.encode(key))] ?? 0;
    return at > 0 ? this.#numbers[at - 1] : undefined;
  }

  set(key: string, number: number): void {
    if (this.#keys.count >= FULL * this.#slots.length) this.#grow();
    const bytes = this.#encoder.encode(key);
    const slot = this.#slotOf(bytes);
    const at = this.#slots[slot] ?? 0;
    if (at > 0) {
      this.#numbers[at - 1] = number;
    } else {
      this.#slots[slot] = this.#keys.add(bytes) + 1;
      this.#numbers.push(number);
    }
  }

  /** The slot of a key, or a free slot for it. */
  #slotOf(key: Uint8Array): number {
    const last = this.#slots.length - 1;
    let slot = hashOf(key) & last;
    for (let at = this.#slots[slot] ?? 0; at > 0 && !isSame(this.#keys.get(at - 1), key); at = this.#slots[slot] ?? 0) {
      slot = (slot + 1) & last;
    }
    return slot;
  }

  #grow(): void {
    this.#slots = new Uint32Array(this.#slots.length * 2);
    for (let at = 0; at < this.#keys.count; at += 1) this.#slots[this.#slotOf(this.#keys.get(at))] = at + 1;
  }
}

function hashOf(bytes: Uint8Array): number {
  let hash = FNV_BASIS;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, FNV_PRIME);
  // The lower bits of FNV depend only on the lower bits of the text.
  return (hash ^ (hash >>> 15)) >>> 0;
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i += 1) if (a[i] !== b[i]) return false;
  return true;
}
