import { appendFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { ProductChangesPage, Schemas } from '@commerce-backend/sdk';

type Product = Schemas['Product'];

/** A line of the file: a page of changes with the cursor after it, so that both are stored together. */
type Line = Pick<ProductChangesPage, 'changes' | 'resume_cursor'>;

/**
 * Products in memory for searching, and in a file for restarts. Each page of changes appends a line to the file; each
 * start compacts it.
 */
export class SearchIndex {
  readonly #file: string;
  readonly #products = new Map<string, Product>();
  cursor: string | undefined;

  constructor(file: string) {
    this.#file = file;
    if (!existsSync(file)) return;
    // A crash may have cut off the last line. The feed returns those changes again.
    const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
    for (const line of lines) this.#take(JSON.parse(line) as Line);
    this.#compact();
  }

  get size(): number {
    return this.#products.size;
  }

  /** Writes a page to the file, then applies it in memory. */
  apply(page: Line): void {
    const { changes, resume_cursor } = page;
    // A page without changes and with the same cursor adds nothing.
    if (changes.length === 0 && resume_cursor === this.cursor) return;
    appendFileSync(this.#file, `${JSON.stringify({ changes, resume_cursor })}\n`);
    this.#take(page);
  }

  /** Removes everything, so that the next read crawls from the beginning. */
  clear(): void {
    rmSync(this.#file, { force: true });
    this.#products.clear();
    this.cursor = undefined;
  }

  /** Finds products whose texts contain all the words. */
  search(query: string): Product[] {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    return [...this.#products.values()].filter(({ name, description, vendor, tags }) => {
      const text = [name, description, vendor, ...tags].join(' ').toLowerCase();
      return words.every((word) => text.includes(word));
    });
  }

  #take({ changes, resume_cursor }: Line): void {
    for (const { product_id, product } of changes) {
      if (product) this.#products.set(product_id, product);
      else this.#products.delete(product_id);
    }
    this.cursor = resume_cursor;
  }

  /**
   * Replaces the file with one line that contains all products. Renames a complete temporary file, so that a crash leaves
   * either the old or the new file.
   */
  #compact(): void {
    if (this.cursor === undefined) return;
    const changes = [...this.#products].map(([product_id, product]) => {
      return { product_id, removed: false, changed_at: product.updated_at, product };
    });
    const draft = `${this.#file}.new`;
    writeFileSync(draft, `${JSON.stringify({ changes, resume_cursor: this.cursor } satisfies Line)}\n`);
    renameSync(draft, this.#file);
  }
}
