/**
 * The command `npm run bench`. It measures, and writes the figures to README.md, which lists the benches and options.
 * `relevance` and `sentences` need `--data DIR`.
 */

import { parseArgs } from 'node:util';
import { agents } from './agent.ts';
import { compare } from './cost/compare.ts';
import { cost } from './cost/cost.ts';
import { dropAll } from './database.ts';
import { importing } from './import.ts';
import { sweepLeftovers } from './leftovers.ts';
import type { Load } from './load.ts';
import { panel } from './panel/panel.ts';
import { starting } from './process.ts';
import { endAll } from './processes.ts';
import { real } from './real.ts';
import { relevance } from './relevance.ts';
import { scale } from './scale/scale.ts';
import { sentences } from './sentences.ts';
import { sites } from './sites.ts';
import { syncing } from './sync.ts';
import { validation } from './validation.ts';
import { webhooks } from './webhooks.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    catalogs: { type: 'string' },
    electronics: { type: 'string' },
    data: { type: 'string' },
    only: { type: 'string' },
    seconds: { type: 'string' },
    products: { type: 'string' },
  },
});

const { quick } = values;
const only = values.only?.split(',');
const seconds = Number(values.seconds ?? (quick ? 5 : 40));
const asked = values.products === undefined ? undefined : Number(values.products.split(',')[0]);
const products = asked ?? (quick ? 200 : 2_000);
const sizes = values.products?.split(',').map(Number) ?? (quick ? [1_000, 10_000] : undefined);
const load: Load = { seconds: quick ? 1 : 8, rounds: quick ? 1 : 5, connections: 10 };

const SCENARIOS: Record<string, () => Promise<void>> = {
  validation: () => validation(load),
  cost: () => cost({ only, seconds, products }),
  import: () => importing(asked ?? (quick ? 500 : 10_000)),
  sync: () => syncing(load, quick ? 2_000 : 100_000),
  scale: () => scale({ sizes, seconds: quick ? 1 : 3 }),
  agent: () => agents(quick ? [100, 200, 500] : [2_000, 10_000, 50_000], quick ? 1 : 5),
  webhooks: () => webhooks(quick ? 200 : 10_000),
  process: () => starting(load),
  panel: () => panel(asked ?? (quick ? 2_000 : 50_000), quick ? 1 : 5),
  real: () => real({ catalogs: values.catalogs, electronics: values.electronics }),
  relevance: () => relevance({ data: values.data, many: quick ? 200 : 43_000 }),
  sentences: () => sentences({ data: values.data, many: quick ? 2_700 : 50_000 }),
  sites: () => sites(quick ? { count: 20, products: 200, seconds: 3 } : { count: 1_000, products: 2_000, seconds: 30 }),
};

/**
 * Scenarios that only run when they are named, because they take long, or need files that are not in the repository, 20
 * GB of disk, or Chromium.
 */
const ONLY_WHEN_NAMED = ['panel', 'real', 'relevance', 'scale', 'sentences', 'sites'];

for (const [signal, code] of [['SIGINT', 130] as const, ['SIGTERM', 143] as const]) {
  process.once(signal, () => void stopEarly(code));
}
await sweepLeftovers();

const [first, ref] = positionals;
const comparing = first === 'compare';
const chosen =
  positionals.length > 0
    ? positionals.slice(comparing ? 2 : 0)
    : Object.keys(SCENARIOS).filter((name) => !ONLY_WHEN_NAMED.includes(name));
if (comparing) await compare({ ref, only, seconds, products });
for (const name of chosen) {
  const scenario = SCENARIOS[name];
  if (!scenario) throw new Error(`There is no scenario ${name}; there are ${Object.keys(SCENARIOS).join(', ')}.`);
  process.stderr.write(`${name} …\n`);
  await scenario();
}

/** Stops all processes and drops the databases. Errors of the scenario that was stopped are ignored. */
async function stopEarly(code: number): Promise<never> {
  process.on('uncaughtException', () => undefined).on('unhandledRejection', () => undefined);
  await endAll().catch(() => undefined);
  await dropAll();
  process.exit(code);
}
