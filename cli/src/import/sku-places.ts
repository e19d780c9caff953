import { KeyTable } from '../formats/key-table.ts';

/** Where in the file a product has a SKU. */
export interface SkuPlace {
  line: number;
  slug: string;
}

/** Which product of the file has a SKU, whatever its case; small enough for files of millions. */
export class SkuPlaces {
  readonly #places = new KeyTable();
  readonly #lines: number[] = [];
  /** The number of the product among the slugs. */
  readonly #products: number[] = [];
  readonly #slugs = new Texts();
  #lastSlug: string | undefined;

  has(sku: string): boolean {
    return this.#places.has(sku.toLowerCase());
  }

  get(sku: string): SkuPlace | undefined {
    const place = this.#places.get(sku.toLowerCase());
    if (place === undefined) return undefined;
    return { line: this.#lines[place] ?? 0, slug: this.#slugs.get(this.#products[place] ?? 0) };
  }

  set(sku: string, { line, slug }: SkuPlace): void {
    this.#places.set(sku.toLowerCase(), this.#lines.length);
    // The SKUs of a product come one after the other.
    if (slug !== this.#lastSlug) this.#slugs.add(slug);
    this.#lastSlug = slug;
    this.#lines.push(line);
    this.#products.push(this.#slugs.count - 1);
  }
}

/** Texts in the order in which they were added, in one buffer: a string of its own takes several times as much as a short text. */
class Texts {
  #bytes = Buffer.alloc(16_384);
  readonly #ends: number[] = [];

  get count(): number {
    return this.#ends.length;
  }

  add(text: string): void {
    const from = this.#ends.at(-1) ?? 0;
    const end = from + Buffer.byteLength(text);
    if (end > this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes], Math.max(end, this.#bytes.length * 2));
    this.#bytes.write(text, from);
    this.#ends.push(end);
  }

  get(at: number): string {
    return this.#bytes.toString('utf8', this.#ends[at - 1] ?? 0, this.#ends[at]);
  }
}
