import type pg from 'pg';
import { operationTable } from '../../server/src/http/contract/contract.ts';
import { createCatalogueCache } from '../../server/src/http/pipeline/cache.ts';
import { startServer, stopServer } from '../../server/test/server.ts';
import { changes, holdingsOf } from '../testing/owner-queries.ts';
import { type Figures, type Proof, pick, type Trial } from '../testing/proof.ts';
import { chanceOf } from '../testing/random.ts';
import type { Call } from '../testing/raw-requests.ts';
import type { World } from '../testing/tenant.ts';
import { behind, inWorld, loggerInto } from '../testing/three-tenants.ts';
import { validCall } from '../testing/valid-requests.ts';
import { attack } from './foreign-ids.ts';
import { withoutSite } from './site-filters.ts';

/**
 * Attacks a server from whose SQL statements the site conditions were removed, so that only row-level security separates the
 * tenants. A second server lacks row-level security too, to show that the attack would find unprotected rows.
 */
export const A5: Proof = {
  id: 'A5',
  promise: 'If a statement lacks its tenant condition, row-level security still limits it to the rows of the tenant.',
  run: (trial) =>
    inWorld(trial, async (world) => {
      const { calls, requests, changed, texts } = await alone(world, trial);
      const { open, asked } = await withNothing(world, trial);
      if (open === 0)
        world.violations.add('without row-level security the attack saw no rows of others, so the proof shows nothing');
      const note = `${texts} statements without their condition, ${changed} times; with row-level security off as well, ${open} of ${asked} reading operations show other shops`;
      return { tried: calls + requests, unit: 'requests', note, violations: world.violations.list } satisfies Figures;
    }),
};

/**
 * Repeats the attack of A1, and makes a valid call of each operation. No response may contain data of other tenants.
 */
async function alone(world: World, trial: Trial) {
  const seen = { changed: 0, texts: new Set<string>() };
  const server = await serverOf(trial, world, (connection) => forgetSite(connection, seen));
  const view = behind(world, server);
  const [tenant, ...others] = view.tenants;
  const chance = chanceOf(trial.seed);
  let calls = 0;
  let requests = 0;
  try {
    const before = await Promise.all(others.map(({ site_id }) => holdingsOf(world.owner, site_id)));
    for (const operation of chance.some(operationTable, pick(trial.size, 30, operationTable.length))) {
      const { status, text } = await view.send(await validCall(view, tenant, operation), tenant);
      // A 500 means that the changed statement is invalid. Such a statement would reveal nothing even without row-level
      // security.
      if (status >= 500)
        view.violations.add(
          `${operation.id}: a statement without its condition is invalid, so the proof shows nothing: ${status} ${text.slice(0, 300)}`,
        );
      calls += 1;
      requests += await attack(view, tenant, others, operation, trial, chance);
      trial.progress(`${operation.id}, ${requests} requests`);
    }
    for (const [index, { name, site_id }] of others.entries()) {
      const changedTables = Object.keys(changes(before[index] ?? {}, await holdingsOf(world.owner, site_id)));
      if (changedTables.length > 0)
        view.violations.add(`tenant A changed ${changedTables.join(', ')} of tenant ${name}`);
    }
  } finally {
    await stopServer(server);
  }
  for (const violation of view.violations.list) world.violations.add(violation);
  return { calls, requests, changed: seen.changed, texts: seen.texts.size };
}

/** Sends only reads. Without both protections, writes would damage the data of the other proofs. */
async function withNothing(world: World, trial: Trial) {
  const seen = { changed: 0, texts: new Set<string>() };
  const server = await serverOf(trial, world, (connection) => {
    // The login is a superuser, to whom row-level security does not apply.
    void connection.query('set role none');
    forgetSite(connection, seen);
  });
  const reads = operationTable.filter(({ method }) => method === 'get');
  const asked = chanceOf(trial.seed).some(reads, pick(trial.size, 20, reads.length));
  let open = 0;
  try {
    for (const operation of asked) {
      const view = behind(world, server);
      const [tenant] = view.tenants;
      const call: Call = await validCall(world, tenant, operation);
      await view.send(call, tenant);
      if (view.violations.list.length > 0) open += 1;
    }
  } finally {
    await stopServer(server);
  }
  return { open, asked: asked.length };
}

/** Caching is off, because cache keys contain the site, which would separate the tenants too. */
async function serverOf(trial: Trial, world: World, change: (connection: pg.PoolClient) => void) {
  const cache = createCatalogueCache({ enabled: false });
  const settings = { cache, logger: loggerInto(world.causes), trustProxy: 1 };
  const server = await startServer(trial.databaseUrl, settings, trial.databaseUrl);
  server.db.on('connect', change);
  return server;
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
