import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProductImport } from '@commerce-backend/spec';
import { readProducts } from './read.ts';
import type { Read, ReadOptions, Warning } from './reading.ts';

/** For tests: writes a temporary file and reads it with `read`. */
export async function readText(
  text: string | Buffer,
  { name = 'products.csv', ...options }: ReadOptions & { name?: string } = {},
): Promise<{ reads: Read[]; products: ProductImport[]; warnings: Warning[] }> {
  const folder = await mkdtemp(join(tmpdir(), 'formats-'));
  const path = join(folder, name);
  try {
    await writeFile(path, text);
    const warnings: Warning[] = [];
    const reads = await allOf(readProducts(path, { ...options, onWarning: (warning) => warnings.push(warning) }));
    return { reads, products: reads.flatMap((read) => ('product' in read ? [read.product] : [])), warnings };
  } finally {
    await rm(folder, { recursive: true });
  }
}

export async function allOf<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** For tests: the rejections as `line field: message`. */
export function refusals(reads: Read[]): string[] {
  return reads.flatMap((read) =>
    'errors' in read ? read.errors.map(({ line, field, message }) => `${line} ${field}: ${message}`) : [],
  );
}
