import { createReadStream } from 'node:fs';
import { text } from 'node:stream/consumers';
import { createGunzip } from 'node:zlib';
import type { Schemas } from '@commerce-backend/sdk';
import { parse } from 'yaml';

/**
 * Turns the product file of the AWS Retail Demo Store (YAML, MIT-0, github.com/aws-samples/retail-demo-store,
 * src/products/data) into the JSONL that `commerce products import` reads:
 *
 *   node examples/convert-retail-demo-store.ts products.yaml.gz > products.jsonl
 */
interface Entry {
  id: string;
  name: string;
  category?: string;
  style?: string;
  description?: string;
  price: number;
  image?: string;
  current_stock?: number;
  gender_affinity?: string;
  promoted?: boolean | string;
  where_visible?: string;
}

const [file] = process.argv.slice(2);
if (!file) {
  process.stderr.write('Name the file: node examples/convert-retail-demo-store.ts products.yaml.gz\n');
  process.exit(2);
}

const bytes = createReadStream(file);
const yaml = await text(file.endsWith('.gz') ? bytes.pipe(createGunzip()) : bytes);
for (const entry of parse(yaml) as Entry[]) process.stdout.write(`${JSON.stringify(productOf(entry))}\n`);

function productOf(entry: Entry): Schemas['ProductImport'] {
  const { id, name, category, style, description, price, current_stock, gender_affinity, where_visible } = entry;
  return {
    name,
    // Names are not unique in the file, but slugs must be, so the id is appended.
    slug: `${slugOf(name)}-${id.slice(0, 8)}`,
    description: description ?? '',
    product_type: category ?? null,
    tags: [category, style].filter((tag) => tag !== undefined),
    status: 'active',
    price: price.toFixed(2),
    sku: id,
    inventory_quantity: Math.round(current_stock ?? 0),
    metadata: {
      ...(style && { style }),
      ...(gender_affinity && { gender_affinity }),
      ...(where_visible && { where_visible }),
    },
  };
}

function slugOf(name: string): string {
  const words =
    name
      .normalize('NFKD')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? [];
  return words.join('-').slice(0, 200).replace(/-$/, '');
}
