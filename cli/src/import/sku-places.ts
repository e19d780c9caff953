import { KeyTable } from '../formats/key-table.ts';
import { Texts } from '../formats/texts.ts';

/** The product with a SKU, and its line in the file. */
export interface SkuPlace {
  line: number;
  slug: string;
}

/** Maps each SKU of the file, ignoring case, to its product. Compact enough for millions of SKUs. */
export class SkuPlaces {
  readonly #places = new KeyTable();
  readonly #lines: number[] = [];
  /** Index in `#slugs` for each SKU. */
  readonly #products: number[] = [];
  readonly #slugs = new Texts();
  readonly #encoder = new TextEncoder();
  readonly #decoder = new TextDecoder();
  #lastSlug: string | undefined;

  has(sku: string): boolean {
    return this.#places.has(sku.toLowerCase());
  }

  get(sku: string): SkuPlace | undefined {
    const place = this.#places.get(sku.toLowerCase());
    if (place === undefined) return undefined;
    return { line: this.#lines[place] ?? 0, slug: this.#decoder.decode(this.#slugs.get(this.#products[place] ?? 0)) };
  }

  set(sku: string, { line, slug }: SkuPlace): void {
    this.#places.set(sku.toLowerCase(), this.#lines.length);
    // All SKUs of a product are added in sequence.
    if (slug !== this.#lastSlug) this.#slugs.add(this.#encoder.encode(slug));
    this.#lastSlug = slug;
    this.#lines.push(line);
    this.#products.push(this.#slugs.count - 1);
  }
}
