import { join } from 'node:path';
import { createStorefrontClient, paginate, type StorefrontClient, unwrap } from '@commerce-backend/sdk';
import { readProducts } from '../cli/src/formats/read.ts';
import { type Imported, importByCli } from './cli-import.ts';
import { convert } from './convert.ts';
import { openDatabase } from './database.ts';
import { createSite, migrate, type Running, type Site, startCommerce, stop } from './processes.ts';
import { report, table, whole } from './report.ts';

/**
 * Tests third-party catalogues. The CLI imports each catalogue over HTTP into a new site, which is then read through
 * the SDK. The imported products are compared with the file, and rejected rows are listed with their reasons.
 */
export async function real({ catalogs, electronics }: { catalogs?: string; electronics?: string }): Promise<void> {
  if (!catalogs || !electronics) throw new Error('Say where they are: --catalogs DIR --electronics FILE.');
  const database = await openDatabase();
  let server: Running | undefined;
  try {
    await migrate(database.url, database.dataDir);
    server = await startCommerce({ databaseUrl: database.url, dataDir: database.dataDir });
    const converted = (name: string) => join(database.dataDir, name);
    await convert('convert-retail-demo-store.ts', join(catalogs, RETAIL_DEMO_STORE), converted('retail.jsonl'));
    await convert('convert-icecat.ts', electronics, converted('electronics.jsonl'));
    const sources = [
      { name: 'Magento 2 "Luma", CSV as it is', file: join(catalogs, LUMA), words: ['yoga', 'hoodie', 'jaket'] },
      { name: 'AWS Retail Demo Store, YAML to JSONL', file: converted('retail.jsonl'), words: ['backpack', 'lamp'] },
      {
        name: 'Open Icecat electronics, JSONL to JSONL',
        file: converted('electronics.jsonl'),
        words: ['laptop', 'ink cartridge', 'keybord'],
      },
    ];
    const rows: (string | number)[][] = [];
    const notes: string[] = [];
    for (const { name, file, words } of sources) {
      const site = await createSite(database.url, database.dataDir, 'USD');
      const imported = await importByCli(file, server, site.api_key, converted(`${rows.length}.refused`));
      const again = await importByCli(file, server, site.api_key, converted(`${rows.length}.again`));
      const inFile = await productsOf(file);
      rows.push(rowOf(name, inFile, imported, again, await countListed(server, site)));
      notes.push('', `**${name}**`, '', ...refusals(imported), ...(await readBack(server, site, inFile, words)));
    }
    await report('real', database.version, [...table(HEADER, rows), ...notes]);
  } finally {
    await stop(server);
    await database.drop();
  }
}

const LUMA = 'luma-magento/configurable_products.csv';
const RETAIL_DEMO_STORE = 'retail-demo-store/products.yaml.gz';
const HEADER = [
  'Catalogue',
  'products in the file',
  'variants in the file',
  'created',
  'refused',
  'products/s',
  'on the storefront: products',
  'variants',
  'imported again: unchanged',
];

interface InFile {
  /** The accepted products by slug, with the number of their variants. */
  accepted: Map<string, { name: string; variants: number; vendor: string | undefined; tags: string[] }>;
  /** The number of all products in the file, including those that its reader rejects. */
  products: number;
  variants: number;
}

async function productsOf(file: string): Promise<InFile> {
  const found: InFile = { accepted: new Map(), products: 0, variants: 0 };
  for await (const read of readProducts(file)) {
    found.products += 1;
    if ('errors' in read) continue;
    const { slug, name, variants, vendor, tags } = read.product;
    const count = variants?.length ?? 1;
    found.variants += count;
    found.accepted.set(slug, { name, variants: count, vendor: vendor ?? undefined, tags: tags ?? [] });
  }
  return found;
}

function rowOf(
  name: string,
  inFile: InFile,
  first: Imported,
  again: Imported,
  listed: { products: number; variants: number },
) {
  const { created, refused } = first.counts;
  return [
    ...[name, whole(inFile.products), whole(inFile.variants), whole(created), whole(refused)],
    ...[whole((created + refused) / first.seconds), whole(listed.products), whole(listed.variants)],
    whole(again.counts.unchanged),
  ];
}

function storefrontOf({ url }: Running, { site_id, storefront_token }: Site): StorefrontClient {
  return createStorefrontClient({ baseUrl: url, siteId: site_id, storefrontToken: storefront_token });
}

async function countListed(server: Running, site: Site): Promise<{ products: number; variants: number }> {
  const slugs = new Set<string>();
  let variants = 0;
  for await (const product of paginate(storefrontOf(server, site), '/api/storefront/products', {
    params: { query: { sort: 'name_asc' } },
  })) {
    slugs.add(product.slug);
    variants += product.variants.length;
  }
  return { products: slugs.size, variants };
}

/** Lists the most frequent reasons for rejections, each with the number of products and an example. */
function refusals({ refused, warnings }: Imported): string[] {
  const reasons = new Map<string, { count: number; example: string }>();
  for (const { line, slug, errors } of refused) {
    for (const reason of new Set(errors.map(({ field, message }) => `\`${field}\`: ${message}`))) {
      const known = reasons.get(reason);
      reasons.set(reason, { count: (known?.count ?? 0) + 1, example: known?.example ?? `line ${line}, ${slug}` });
    }
  }
  const most = [...reasons].sort(([, a], [, b]) => b.count - a.count).slice(0, 20);
  return [
    ...most.map(([reason, { count, example }]) => `- refused ${count} ×: ${reason} (${example})`),
    ...(refused.length === 0 ? ['- nothing refused'] : []),
    ...(warnings > 0 ? [`- ${whole(warnings)} warnings (what was left out of products that came in)`] : []),
  ];
}

const SAMPLE = 200;

/** Reads products by slug, filters and searches, as a shop's website does, and compares the results with the file. */
async function readBack(server: Running, site: Site, { accepted }: InFile, words: string[]): Promise<string[]> {
  const client = storefrontOf(server, site);
  const list = async (query: Query) =>
    unwrap(client.GET('/api/storefront/products', { params: { query: { limit: 3, ...query } } }));

  const every = Math.max(1, Math.floor(accepted.size / SAMPLE));
  const sample = [...accepted].filter((_, i) => i % every === 0);
  let same = 0;
  for (const [id_or_slug, { name, variants }] of sample) {
    const call = client.GET('/api/storefront/products/{id_or_slug}', { params: { path: { id_or_slug } } });
    const product = await call.then(({ data }) => data);
    if (product?.name === name && product.variants.length === variants) same += 1;
  }
  const lines = [`- read by slug: ${same} of ${sample.length} as in the file (name, number of variants)`];
  for (const filter of filtersFor(accepted)) {
    const { total } = await list(filter.query);
    lines.push(`- ${filter.name}: ${whole(total)} on the storefront, ${whole(filter.inFile)} in the file`);
  }
  for (const q of words) {
    const { total, products } = await list({ q });
    lines.push(`- search "${q}": ${whole(total)} found, first: ${products.map(({ name }) => name).join(' · ')}`);
  }
  return lines;
}

interface Query {
  q?: string;
  vendor?: string[];
  tag?: string[];
}

/** Returns filters by the most frequent vendor and tag in the file, each with the number of matching products. */
function filtersFor(accepted: InFile['accepted']): { name: string; query: Query; inFile: number }[] {
  const products = [...accepted.values()];
  const vendor = mostFrequent(products.flatMap((product) => product.vendor ?? []));
  const tag = mostFrequent(products.flatMap(({ tags }) => [...new Set(tags)]));
  return [
    ...(vendor ? [{ name: `filter vendor=${vendor[0]}`, query: { vendor: [vendor[0]] }, inFile: vendor[1] }] : []),
    ...(tag ? [{ name: `filter tag=${tag[0]}`, query: { tag: [tag[0]] }, inFile: tag[1] }] : []),
  ];
}

function mostFrequent(words: string[]): [string, number] | undefined {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0];
}
