import type pg from 'pg';
import { operationTable } from '../../server/src/http/contract/contract.ts';
import { createCatalogueCache } from '../../server/src/http/pipeline/cache.ts';
import { startServer, stopServer } from '../../server/test/server.ts';
import { type Figures, type Proof, pick, type Trial } from '../testing/proof.ts';
import { chanceOf } from '../testing/random.ts';
import type { World } from '../testing/tenant.ts';
import { behind, inWorld, loggerInto } from '../testing/three-tenants.ts';
import { validCall } from '../testing/valid-requests.ts';
import { attack, withoutEffectOnOthers } from './foreign-ids.ts';
import { withoutSite } from './site-filters.ts';

/**
 * Attacks a server from whose SQL statements the site conditions were removed, so that only row-level security
 * separates the tenants: makes a valid call of each operation, and repeats the attack of A1.
 */
export const A5: Proof = {
  id: 'A5',
  promise: 'If a statement lacks its tenant condition, row-level security still limits it to the rows of the tenant.',
  run: (trial) =>
    inWorld(trial, async (world) => {
      const seen = { changed: 0, texts: new Set<string>() };
      // Caching is off, because cache keys contain the site, which would separate the tenants too.
      const cache = createCatalogueCache({ enabled: false });
      const settings = { cache, logger: loggerInto(world.causes), trustProxy: 1 };
      const server = await startServer(trial.databaseUrl, settings, trial.databaseUrl);
      server.db.on('connect', (connection) => forgetSite(connection, seen));
      try {
        const tried = await attackAll(behind(world, server, world.violations), trial);
        const note = `${seen.texts.size} statements without their condition, ${seen.changed} times`;
        return { tried, unit: 'requests', note, violations: world.violations.list } satisfies Figures;
      } finally {
        await stopServer(server);
      }
    }),
};

async function attackAll(world: World, trial: Trial): Promise<number> {
  const [tenant] = world.tenants;
  const chance = chanceOf(trial.seed);
  let tried = 0;
  await withoutEffectOnOthers(world, async () => {
    for (const operation of chance.some(operationTable, pick(trial.size, 30, operationTable.length))) {
      const { status, text } = await world.send(await validCall(world, tenant, operation), tenant);
      // A 500 means that the changed statement is invalid. Such a statement would reveal nothing even without row-level
      // security.
      if (status >= 500)
        world.violations.add(
          `${operation.id}: a statement without its condition is invalid, so the proof shows nothing: ${status} ${text.slice(0, 300)}`,
        );
      tried += 1 + (await attack(world, operation, trial, chance));
      trial.progress(`${operation.id}, ${tried} requests`);
    }
  });
  return tried;
}

function forgetSite(connection: pg.PoolClient, seen: { changed: number; texts: Set<string> }): void {
  const send = connection.query.bind(connection) as (...args: unknown[]) => unknown;
  const forgetful = (...args: unknown[]) => {
    const [config, ...rest] = args;
    const text = (config as { text?: string }).text;
    if (text === undefined) return send(...args);
    const changed = withoutSite(text);
    if (changed === text) return send(...args);
    seen.changed += 1;
    seen.texts.add(text);
    return send(Object.assign(config as object, { text: changed }), ...rest);
  };
  connection.query = forgetful as typeof connection.query;
}
