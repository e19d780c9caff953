import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { paginate } from '@commerce-backend/sdk';
import type { Product } from '@commerce-backend/spec';
import type { Command } from 'commander';
import { addFlags, givenRequest } from '../flags.ts';
import { writeJsonl } from '../formats/jsonl.ts';
import { writeShopify } from '../formats/shopify-export.ts';
import { counted, show } from '../output.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { PAGES } from './export-pages.ts';
import { choice, isJson } from './options.ts';

interface ExportOptions {
  format: 'jsonl' | 'shopify';
  output?: string;
}

const EXAMPLES = `
Either format can be imported again. JSONL keeps everything; Shopify's CSV has no column for metadata.

Examples:
  $ commerce products export --output products.jsonl
  $ commerce products export --format shopify --status active --output products.csv
  $ commerce products export | gzip > products.jsonl.gz`;

/** `products export`: writes the products, oldest first, to a file or stdout. */
export function addProductsExport(products: Command, terminal: Terminal): void {
  addFlags(products.command('export'), 'dashboard.exportProducts', PAGES)
    .description('Write the whole catalogue to a file or to the standard output.')
    .addOption(choice('--format <format>', 'how to write it', ['jsonl', 'shopify']).default('jsonl'))
    .option('--output <file>', 'the file to write; replaced only when the export is complete')
    .addHelpText('after', EXAMPLES)
    .action((options: ExportOptions, command: Command) => exportProducts(options, command, terminal));
}

async function exportProducts(options: ExportOptions, command: Command, terminal: Terminal): Promise<void> {
  const { format, output } = options;
  const { query } = await givenRequest<'dashboard.exportProducts'>(command, terminal);
  const { client } = await openSession(command, terminal, { maxAttempts: 5 });
  let count = 0;
  const exported = async function* (): AsyncGenerator<Product> {
    for await (const product of paginate(client, '/api/dashboard/products/export', { params: { query } })) {
      count += 1;
      // The cast is needed because responses have open enums. Unknown values are written as they are.
      yield product as Product;
    }
  };
  const text = format === 'shopify' ? writeShopify(exported()) : writeJsonl(exported());
  if (output === undefined) {
    await pipeline(Readable.from(text), terminal.stdout, { end: false });
    return;
  }
  await writeWhole(output, text);
  show(terminal, isJson(command), { file: output, format, products: count }, () => {
    return `Exported ${counted(count, 'product')} to ${output}.`;
  });
}

/**
 * Writes to a temporary file and renames it at the end, so that an interrupted export does not change an existing file.
 */
async function writeWhole(path: string, text: AsyncIterable<string>): Promise<void> {
  const draft = `${path}.partial`;
  try {
    await pipeline(Readable.from(text), createWriteStream(draft));
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
