import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createDashboardClient, unwrap } from '@commerce-backend/sdk';
import pg from 'pg';
import { hashToken, mintToken } from '../server/src/shop/tokens.ts';
import { assorted, QUERIED } from './assortment.ts';
import { importByCli } from './cli-import.ts';
import { type Database, openDatabase } from './database.ts';
import { percentiles } from './load.ts';
import { createSite, migrate, type Running, type Site, sentBy, startApi, stop } from './processes.ts';
import { NOUNS, productOf } from './products.ts';
import { report, table, whole } from './report.ts';

/** A generated catalogue and its queries. */
interface Catalogue {
  name: string;
  size: number;
  productOf(i: number): { name: string; options: { name: string; values: string[] }[]; variants: object[] };
  sentences: string[];
}

/**
 * Measures an agent's calls one at a time: on a small and a large varied catalogue, and on a middle-sized one whose
 * product names share ten nouns.
 */
export async function agents([small, middle, large]: [number, number, number], rounds: number): Promise<void> {
  const database = await openDatabase();
  let server: Running | undefined;
  try {
    await migrate(database.url, database.dataDir);
    server = await startApi(database);
    const timed: (string | number)[][] = [];
    const sized: (string | number)[][] = [];
    const sentences = QUERIED.flatMap(sentencesOf);
    const assortment = { name: 'as varied as real ones', productOf: assorted, sentences };
    const catalogues: Catalogue[] = [
      { ...assortment, size: large },
      { ...assortment, size: small },
      { name: 'ten words for all things', productOf, sentences: NOUNS.flatMap(sentencesOf), size: middle },
    ];
    for (const catalogue of catalogues) {
      const secret = await openShop(database, server, catalogue);
      for (const [name, call] of Object.entries(CALLS)) {
        const { p50, p95, p99 } = await latencies(server, secret, call, catalogue, rounds);
        const statements = await statementsPer(database, secret, call, catalogue);
        timed.push([name, `${whole(catalogue.size)}, ${catalogue.name}`, p50, p95, p99, statements]);
      }
      if (catalogue.name === assortment.name && catalogue.size === large)
        sized.push(...(await answerSizes(server, secret, catalogue)));
    }
    await report('agent', database.version, [
      ...table(['Call', 'products', 'p50 ms', 'p95 ms', 'p99 ms', 'SQL statements'], timed),
      '',
      ...table(['Answer with five candidates', 'answers', 'tokens, mean', 'tokens, most'], sized),
    ]);
  } finally {
    await stop(server);
    await database.drop();
  }
}

/** Opens a shop and imports the catalogue with the CLI. Returns the token of an agent that may buy there. */
async function openShop(database: Database, server: Running, catalogue: Catalogue): Promise<string> {
  const { size } = catalogue;
  const site = await createSite(database.url, database.dataDir, 'EUR');
  const file = join(database.dataDir, `${site.site_id}.jsonl`);
  const lines = Array.from({ length: size }, (_, i) => {
    const { variants, ...product } = catalogue.productOf(i);
    const plenty = variants.map((variant) => ({ ...variant, inventory_quantity: 10_000 }));
    const images = [{ url: `https://images.example/products/${i}/front-320.jpg` }];
    return JSON.stringify({ ...product, name: nameOf(catalogue, i), images, variants: plenty });
  });
  await writeFile(file, `${lines.join('\n')}\n`);
  const { counts, seconds } = await importByCli(file, server, site.api_key, `${file}.refused`);
  if (counts.created !== size) throw new Error(`Of ${size} products ${counts.created} were imported.`);
  process.stderr.write(`  ${whole(size)} products imported in ${seconds.toFixed(0)} s\n`);
  const client = createDashboardClient({ baseUrl: server.url, apiKey: site.api_key });
  await unwrap(client.POST('/api/dashboard/shipping-options', { body: { name: 'Parcel', price: '4.90' } }));
  return openAgent(database, site);
}

/** Inserts the agent into the database, because obtaining its consent is not measured. */
export async function openAgent({ bareUrl }: Database, { site_id }: Site): Promise<string> {
  const db = new pg.Client({ connectionString: bareUrl });
  await db.connect();
  try {
    const [customer, token, secret] = [randomUUID(), randomUUID(), mintToken('agent')];
    await db.query('insert into commerce.customers (site_id, id, email) values ($1, $2, $3)', [
      site_id,
      customer,
      'june@example.com',
    ]);
    await db.query(
      `insert into commerce.tokens (site_id, id, kind, token_hash, secret_prefix, description, scopes, expires_at, customer_id)
       values ($1, $2, 'agent', $3, 'agt', 'Bench', '{catalog:read,cart:write,checkout:create}', now() + interval '1 day', $4)`,
      [site_id, token, hashToken(secret), customer],
    );
    await db.query(
      'insert into commerce.agent_tokens (site_id, id, consent_id, budget_cents) values ($1, $2, $3, 1000000000)',
      [site_id, token, randomUUID()],
    );
    await db.query('vacuum analyze');
    return secret;
  } finally {
    await db.end();
  }
}

/** Sentences about a product, with limits, values, negations, preferences and typing errors. */
function sentencesOf(thing: string): string[] {
  const word = thing.toLowerCase();
  const slip = word.slice(0, 2) + word.slice(3);
  return [
    `a ${word} under 60 euros`,
    `amber ${word} for the kitchen, not steel`,
    `two ${word}s in size M between 20 and 90 euros, in stock`,
    `the cheapest nordic ${word} from Alder`,
    `folding ${slip} made of wood`,
    word,
  ];
}

interface Asked {
  method: 'GET' | 'POST';
  path: string;
  body?: unknown;
  /** The expected `status` in the response's body, if the body has one. */
  status?: string;
}

/** Builds the i-th request of one kind of call to a catalogue. */
type Call = (i: number, catalogue: Catalogue) => Asked;

const FIND = '/api/agent/intent/find';
const BUY = '/api/agent/intent/find-and-buy';
const ADDRESS = { last_name: 'Okafor', address1: 'Lindenallee 7', city: 'Berlin', postal_code: '10115', country: 'DE' };

const sentence = (i: number, { sentences }: Catalogue) => sentences[i % sentences.length] ?? '';

const searching: Call = (i, catalogue) => ({
  method: 'GET',
  path: `/api/agent/catalog/search?limit=5&q=${encodeURIComponent(sentence(i, catalogue))}`,
});
const finding: Call = (i, catalogue) => ({ method: 'POST', path: FIND, body: { query: sentence(i, catalogue) } });
/** Returns the filters of the i-th call. An assistant's model sends each condition as a filter. */
const filtersOf = (i: number, catalogue: Catalogue) => FILTERS[i % FILTERS.length]?.(catalogue) ?? {};
const FILTERS: ((catalogue: Catalogue) => Record<string, string | string[]>)[] = [
  () => ({ attribute: ['material:wood'], price_max: '60' }),
  () => ({ exclude_attribute: ['material:steel'], attribute: ['room:kitchen'], in_stock: 'true' }),
  () => ({ option: ['Size:M'], price_min: '20', price_max: '90' }),
  () => ({ vendor: ['alder'], sort: 'price_asc' }),
  () => ({ exclude_text: ['leather'], exclude_tag: ['series-3'], attribute: ['material:wool', 'material:silk'] }),
  () => ({ tag: ['series-7'] }),
  () => ({ price_max: '100' }),
  () => ({ price_min: '20', price_max: '40' }),
  () => ({ price_min: '150', price_max: '152' }),
  () => ({ in_stock: 'true' }),
  () => ({ attribute: ['material:cork', 'material:silk'] }),
  () => ({ vendor: ['poppy', 'oriel'], price_max: '80' }),
  () => ({ tag: ['series-1', 'series-2', 'series-3'], in_stock: 'true' }),
  () => ({ product_type: ['Lamp'] }),
  () => ({ product_type: ['Lamp', 'Chair', 'Table', 'Rug'], sort: 'price_asc' }),
  () => ({ option: ['Color:Blue', 'Color:Green'], price_max: '100', in_stock: 'true' }),
  () => ({ exclude_text: ['glass', 'plastic'], price_max: '50' }),
  () => ({ exclude_type: ['Lamp', 'Chair'], price_min: '100', sort: 'price_desc' }),
  () => ({ price_max: '30', sort: 'price_asc', in_stock: 'true' }),
];
/**
 * The search words of the i-th call; every other call has none. The number of filter sets is odd, so each set is sent
 * both with and without words.
 */
const wordsOf = (i: number, { sentences }: Catalogue) =>
  i % 2 === 0 ? sentences[(i * 6 + 5) % sentences.length] : undefined;

const narrowing: Call = (i, catalogue) => {
  const q = wordsOf(i, catalogue);
  const query = Object.entries({ ...filtersOf(i, catalogue), ...(q && { q }) });
  const pairs = query.flatMap(([name, value]) => [value].flat().map((one): [string, string] => [name, one]));
  return { method: 'GET', path: `/api/agent/catalog/search?limit=5&${new URLSearchParams(pairs)}` };
};
const findingNarrowed: Call = (i, catalogue) => {
  const { in_stock, ...filters } = filtersOf(i, catalogue);
  const query = wordsOf(i, catalogue);
  return {
    method: 'POST',
    path: FIND,
    body: { ...filters, ...(in_stock && { in_stock: true }), ...(query && { query }) },
  };
};
const choosing: Call = () => ({ method: 'GET', path: '/api/agent/catalog/facets' });

const adding: Call = (i, catalogue) => ({
  method: 'POST',
  path: '/api/agent/intent/find-and-add',
  body: { query: byName(i, catalogue) },
  status: 'added',
});
const buying: Call = (i, catalogue) => ({
  method: 'POST',
  path: BUY,
  body: { query: byName(i, catalogue), shipping_address: ADDRESS },
  status: 'requires_escalation',
});
const asking: Call = (i, catalogue) => ({ method: 'POST', path: BUY, body: { query: sentence(i, catalogue) } });

const CALLS: Record<string, Call> = {
  'catalog/search, five candidates': searching,
  'intent/find, five candidates': finding,
  'catalog/search with filters': narrowing,
  'intent/find with filters': findingNarrowed,
  'catalog/facets': choosing,
  'intent/find-and-add, one product by its name': adding,
  'intent/find-and-buy, one product by its name': buying,
};

/** Returns the name of the i-th product with its number replaced by a model number that no other product has. */
function nameOf({ productOf }: Catalogue, i: number): string {
  return productOf(i).name.replace(/\d+$/, `KX${10_000 + i}`);
}

/** Returns a query that names one variant. Successive numbers `i` spread over the whole catalogue. */
function byName(i: number, catalogue: Catalogue): string {
  const at = (i * 7_919) % catalogue.size;
  const [{ name = '', values = [] } = {}] = catalogue.productOf(at).options;
  return `${nameOf(catalogue, at)}, ${name} ${values[1]}`;
}

async function ask(
  { url }: Running,
  secret: string,
  { method, path, body, status }: Asked,
  accept = 'application/json',
) {
  const response = await fetch(url + path, {
    method,
    headers: {
      ...{ Authorization: `Bearer ${secret}`, Accept: accept },
      ...(method === 'POST' && { 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID() }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} ${JSON.stringify(body)}: ${response.status} ${text}`);
  if (status && JSON.parse(text).status !== status) throw new Error(`${path} ${JSON.stringify(body)}: ${text}`);
  return text;
}

/** Measures the response times in milliseconds. Sends one request at a time; the first round is a warm-up. */
async function latencies(server: Running, secret: string, call: Call, catalogue: Catalogue, rounds: number) {
  const times: number[] = [];
  for (let i = 0; i < catalogue.sentences.length * (rounds + 1); i += 1) {
    const began = performance.now();
    await ask(server, secret, call(i, catalogue));
    if (i >= catalogue.sentences.length) times.push(performance.now() - began);
  }
  return percentiles(times);
}

/**
 * Returns the average number of SQL statements per call. A call with a search word that occurs in no product needs a
 * few more.
 */
async function statementsPer(database: Database, secret: string, call: Call, catalogue: Catalogue): Promise<string> {
  const calls = catalogue.sentences.length;
  const server = await startApi(database, true);
  try {
    await ask(server, secret, call(0, catalogue));
    const before = (await sentBy(server)).statements;
    for (let i = 1; i <= calls; i += 1) await ask(server, secret, call(i, catalogue));
    return (((await sentBy(server)).statements - before) / calls).toFixed(1);
  } finally {
    await stop(server);
  }
}

const ANSWERS: Record<string, Call> = {
  'catalog/search': searching,
  'intent/find': finding,
  'intent/find-and-buy, needs_choice': asking,
};

/** Language models split text into tokens of about four characters in English, fewer in ids and punctuation. */
const CHARACTERS_PER_TOKEN = 4;

async function answerSizes(server: Running, secret: string, catalogue: Catalogue): Promise<(string | number)[][]> {
  const rows: (string | number)[][] = [];
  for (const [name, call] of Object.entries(ANSWERS)) {
    for (const type of ['application/json', 'text/markdown']) {
      const tokens: number[] = [];
      for (let i = 0; i < catalogue.sentences.length; i += 1) {
        const { candidates, products } = JSON.parse(await ask(server, secret, call(i, catalogue)));
        if ((candidates ?? products).length !== 5) continue;
        tokens.push((await ask(server, secret, call(i, catalogue), type)).length / CHARACTERS_PER_TOKEN);
      }
      const mean = tokens.reduce((sum, one) => sum + one, 0) / tokens.length;
      rows.push([`${name}, ${type}`, tokens.length, whole(mean), whole(Math.max(...tokens))]);
    }
  }
  return rows;
}
