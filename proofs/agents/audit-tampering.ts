import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type pg from 'pg';
import { Connection } from '../../server/src/db/connect.ts';
import { inTransaction } from '../../server/src/db/transaction.ts';
import { sealAudit } from '../../server/src/jobs/seal-audit.ts';
import { ERASURES } from '../../server/src/shop/audit/forget.ts';
import { type AuditKey, openAuditKey, readAuditKeys } from '../../server/src/shop/audit/keys.ts';
import { signRow } from '../../server/src/shop/audit/signing.ts';
import { type Head, verifySite } from '../../server/src/shop/audit/verify.ts';
import { createSite, mintPassword } from '../../server/src/shop/merchant/sites.ts';
import { SECRET_KEY, startServer, stopServer, type TestServer } from '../../server/test/server.ts';
import { openAgent } from '../testing/agents.ts';
import { withOwnDatabase } from '../testing/own-database.ts';
import { type Figures, type Proof, pick, type Trial, Violations } from '../testing/proof.ts';
import { type Chance, chanceOf } from '../testing/random.ts';
import { exchange } from '../testing/raw-requests.ts';
import { runCommand, withDirectory } from '../testing/server-process.ts';

/**
 * Changes the sealed audit, as an owner of the database without SECRET_KEY could. Each attack runs in a transaction
 * that is rolled back after the check. At the end some attacks are committed, and checked with the command `audit
 * verify`.
 */
export const M4: Proof = {
  id: 'M4',
  promise: 'Every change to sealed rows of the audit by an owner of the database without SECRET_KEY is detected.',
  run: (trial) =>
    withOwnDatabase(trial.databaseUrl, async (url) => {
      const server = await startServer(url, {}, url);
      try {
        return await attack(trial, url, server);
      } finally {
        await stopServer(server);
      }
    }),
};

/** A shop's audit rows under several seals, and the recorded head of the chain. */
interface Trail {
  site_id: string;
  ids: string[];
  seals: number;
  head: Head;
}

async function attack({ size, seed }: Trial, url: string, server: TestServer): Promise<Figures> {
  const chance = chanceOf(seed);
  const violations = new Violations();
  const seals = pick(size, 4, 20);
  const trails = [
    await leaveTrail(server, chance, seals, violations),
    await leaveTrail(server, chance, seals, violations),
  ] as const;
  const { site_id, head } = trails[0];
  const tries = pick(size, 60, 3_000);
  const kinds = Object.entries(ATTACKS);
  for (let i = 0; i < tries; i += 1) {
    const [kind, statementsOf] = kinds[i % kinds.length] as (typeof kinds)[number];
    const statements = statementsOf(trails[0], trails[1], chance);
    const { findings } = await verify(server, site_id, head, async (client) => {
      for (const statement of statements) await client.query(statement);
    });
    if (findings.length === 0)
      violations.add(`audit verify did not report this change (${kind}): ${statements.join('; ')}`);
  }
  const { findings } = await verify(server, site_id, head, (client) => forge(client, trails[0]));
  if (findings.length === 0)
    violations.add('audit verify accepted a row that was signed again with the attacker’s key');
  await lookByCommand(url, server, trails[0], violations);
  const rows = trails.reduce((sum, { ids }) => sum + ids.length, 0);
  const note = `${kinds.length} kinds of attack on ${rows} rows in ${2 * seals} seals; and the command, with a head written before`;
  return { tried: tries + 5, unit: 'attacks', violations: violations.list, note };
}

const COMMAND_WITHIN_MS = 120_000;
const WORDS = ['mug', 'bowl under 20 euros', 'zeppelin', 'two plates', 'a blue jug'];

async function leaveTrail(server: TestServer, chance: Chance, seals: number, violations: Violations): Promise<Trail> {
  const canary = randomUUID().slice(0, 8);
  const { credentials } = await inTransaction(server.db, async (connection) =>
    createSite(connection, {
      ...{ name: canary, currency: 'EUR', staff: { email: `${canary}@example.com`, name: 'Staff' } },
      password: await mintPassword(),
    }),
  );
  const { site_id, api_key } = credentials;
  const customers = [await newCustomer(server, site_id), await newCustomer(server, site_id)];
  const agents = await Promise.all(customers.map((id) => openAgent(server, { site_id, canary }, id)));
  for (let seal = 0; seal < seals; seal += 1) {
    for (let call = 0; call < 6; call += 1) await act(server, chance.of(agents).secret, chance);
    const [, , later] = agents;
    for (let call = 0; later && call < 4; call += 1) await act(server, later.secret, chance);
    // Erases one customer, because empty details of an erased customer must not be reported as tampering.
    if (seal === 2) {
      const path = `/api/dashboard/customers/${customers[1]}/anonymize`;
      const headers = { 'X-API-Key': api_key, 'Idempotency-Key': randomUUID() };
      const { status } = await exchange(server.baseUrl, 'POST', path, headers);
      if (status !== 200) violations.add(`the customer could not be erased: ${status}`);
    }
    if (seal <= 2) await letTimePass(server, site_id);
    await sealNow(server);
    // An agent of the erased customer acts after the erasure; these rows keep their details.
    if (seal === 2) agents.push(await openAgent(server, { site_id, canary }, customers[1] ?? ''));
  }
  const { findings, head, erased } = await verify(server, site_id);
  if (!head || findings.length > 0)
    violations.add(`audit verify printed no head, or reported problems before any change: ${findings.join(' ')}`);
  if (erased === 0) violations.add('erasing the customer removed no audit details, so the proof shows nothing');
  if ((await server.owner.query(afterErasure(site_id))).rows.length === 0)
    violations.add('no audit row was written after the erasure, so the proof shows nothing');
  const { rows } = await server.owner.query<{ id: string }>(
    'select id from commerce.audit_events where site_id = $1 order by id',
    [site_id],
  );
  return { site_id, ids: rows.map(({ id }) => id), seals, head: head as Head };
}

/** Moves the times of new rows five minutes back, so that the rows can be sealed. */
async function letTimePass({ owner }: TestServer, site_id: string): Promise<void> {
  await owner.query(
    `update ${EVENTS} set created_at = created_at - interval '5 minutes'
      where site_id = $1 and created_at > now() - interval '4 minutes'`,
    [site_id],
  );
}

async function newCustomer({ owner }: TestServer, site_id: string): Promise<string> {
  const id = randomUUID();
  await owner.query('insert into commerce.customers (site_id, id, email) values ($1, $2, $3)', [
    ...[site_id, id, `${id}@example.com`],
  ]);
  return id;
}

async function act({ baseUrl }: TestServer, secret: string, chance: Chance): Promise<void> {
  const headers = { Authorization: `Bearer ${secret}`, 'Idempotency-Key': randomUUID() };
  const json = { ...headers, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ query: chance.of(WORDS) });
  await chance.of([
    () => exchange(baseUrl, 'POST', '/api/agent/intent/find', json, body),
    () => exchange(baseUrl, 'POST', '/api/agent/intent/find-and-buy', json, body),
    () => exchange(baseUrl, 'GET', '/api/agent/customer/me', headers),
    () => exchange(baseUrl, 'GET', '/api/agent/nowhere', headers),
  ])();
}

async function sealNow({ owner, db }: TestServer): Promise<void> {
  const key = await openAuditKey(db, SECRET_KEY);
  const client = await owner.connect();
  await sealAudit(client, key).finally(() => client.release());
}

const EVENTS = 'commerce.audit_events';
const SEALS = 'commerce.audit_seals';

/** For each column, an SQL expression for a forged value. */
const CHANGES: Record<string, string> = {
  id: 'gen_random_uuid()',
  actor_type: `actor_type || 's'`,
  actor_id: 'gen_random_uuid()',
  action: `action || 's'`,
  status: 'case status when 200 then 403 else 200 end',
  payload_hash: `payload_hash || '\\x00'`,
  ip: `coalesce(ip, '') || '0'`,
  buyer_ip: `coalesce(buyer_ip, '') || '0'`,
  user_agent: `coalesce(user_agent, '') || '0'`,
  correlation_id: `correlation_id || '0'`,
  created_at: `created_at - interval '1 microsecond'`,
  targets: 'targets || gen_random_uuid()',
  fields: `fields || 'name'::text`,
  customer_id: 'gen_random_uuid()',
  details: `coalesce(details, '{}') || ' '`,
  details_hash: `coalesce(details_hash, '') || '\\x00'`,
  hmac: `hmac || '\\x00'`,
  key_id: 'gen_random_uuid()',
};

/** Returns a query for the rows with details that were written after their customer was erased. */
function afterErasure(site_id: string): string {
  return `select id from ${EVENTS} e where site_id = '${site_id}' and details is not null and exists (
    select from ${EVENTS} erased where erased.site_id = e.site_id and ${OF_SAME_CUSTOMER})`;
}

const OF_SAME_CUSTOMER = `(erased.actor_id = e.customer_id or e.customer_id = any(erased.targets))
  and erased.action in ('${ERASURES.join("', '")}')`;

type Statements = (trail: Trail, other: Trail, chance: Chance) => string[];

const ATTACKS: Record<string, Statements> = {
  ...Object.fromEntries(
    Object.entries(CHANGES).map(([column, value]) => [
      `${column} changed`,
      (trail: Trail, _other: Trail, chance: Chance) => [
        `update ${EVENTS} set ${column} = ${value} where ${rowOf(trail, chance)}`,
      ],
    ]),
  ),
  'several rows changed': (trail, _other, chance) =>
    chance.some(trail.ids, 5).map((id) => `update ${EVENTS} set status = status + 1 where ${named(trail, id)}`),
  // The customer must not be erased, because the details of an erased customer are empty anyway.
  'details removed': ({ site_id }) => [
    `update ${EVENTS} set details = null, details_salt = null where id = (
      select id from ${EVENTS} e where site_id = '${site_id}' and details is not null and not exists (
        select from ${EVENTS} erased where erased.site_id = e.site_id and ${OF_SAME_CUSTOMER}) order by random() limit 1)`,
  ],
  'details removed of a row that was written after its customer was erased': ({ site_id }) => [
    `update ${EVENTS} set details = null, details_salt = null where id = (
      ${afterErasure(site_id)} order by random() limit 1)`,
  ],
  'details removed of a later row, and the erasure made to look later': ({ site_id }) => [
    `update ${EVENTS} set details = null, details_salt = null where id = (
      ${afterErasure(site_id)} order by random() limit 1)`,
    `update ${EVENTS} set created_at = now() where site_id = '${site_id}' and action in ('${ERASURES.join("', '")}')`,
  ],
  'details removed, and an erasure invented': ({ site_id }) => [
    `update ${EVENTS} set details = null, details_salt = null where site_id = '${site_id}'`,
    `insert into ${EVENTS} (site_id, id, actor_type, actor_id, action, status, payload_hash, correlation_id)
      select distinct on (customer_id) site_id, gen_random_uuid(), 'customer', customer_id, 'storefront.deleteCustomer', 200,
        '', '' from ${EVENTS} where site_id = '${site_id}' and customer_id is not null`,
  ],
  'the signature removed': (trail, _other, chance) => [
    `update ${EVENTS} set hmac = null, key_id = null, created_at = '2020-01-01' where ${rowOf(trail, chance)}`,
  ],
  'a row removed': (trail, _other, chance) => [`delete from ${EVENTS} where ${rowOf(trail, chance)}`],
  'several rows removed': (trail, _other, chance) =>
    chance.some(trail.ids, 8).map((id) => `delete from ${EVENTS} where ${named(trail, id)}`),
  'two rows exchanged': (trail, _other, chance) => {
    const [a, b] = chance.some(trail.ids, 2);
    const spare = randomUUID();
    return [
      `update ${EVENTS} set id = '${spare}' where ${named(trail, `${a}`)}`,
      `update ${EVENTS} set id = '${a}' where ${named(trail, `${b}`)}`,
      `update ${EVENTS} set id = '${b}' where ${named(trail, spare)}`,
    ];
  },
  'the times of two rows exchanged': (trail, _other, chance) => {
    const [a, b] = chance.some(trail.ids, 2);
    return [
      `update ${EVENTS} e set created_at = o.created_at from ${EVENTS} o
        where e.site_id = '${trail.site_id}' and o.site_id = e.site_id and (e.id, o.id) in (('${a}', '${b}'), ('${b}', '${a}'))`,
    ];
  },
  'a row put in the place of another': (trail, _other, chance) => {
    const [a, b] = chance.some(trail.ids, 2);
    return [
      `delete from ${EVENTS} where ${named(trail, `${a}`)}`,
      `update ${EVENTS} set id = '${a}' where ${named(trail, `${b}`)}`,
    ];
  },
  'a row of another shop brought in': (trail, other, chance) => [
    `update ${EVENTS} set site_id = '${trail.site_id}' where ${rowOf(other, chance)}`,
  ],
  'a seal removed': (trail, _other, chance) => [`delete from ${SEALS} where ${sealOf(trail, chance)}`],
  'a seal removed with its rows': (trail, _other, chance) => withoutSeal(sealOf(trail, chance)),
  'a seal removed with its rows, and the later ones renumbered': (trail, _other, chance) => {
    const seq = 1 + Math.floor(chance.next() * (trail.seals - 1));
    const at = `site_id = '${trail.site_id}'`;
    return [
      ...withoutSeal(`${at} and seq = ${seq}`),
      `update ${SEALS} set seq = seq + 1000000 where ${at} and seq > ${seq}`,
      `update ${SEALS} set seq = seq - 1000001, previous = case when seq = 1000002 then null else previous end
        where ${at} and seq > 1000000`,
    ];
  },
  'a seal made to hold fewer rows': (trail, _other, chance) => [
    `update ${SEALS} set ids = ids[2:], count = count - 1, first = ids[2] where ${sealOf(trail, chance)} and count > 1`,
    `delete from ${EVENTS} e where site_id = '${trail.site_id}'
      and not exists (select from ${SEALS} s where s.site_id = e.site_id and e.id = any(s.ids))`,
  ],
  'two seals exchanged': (trail) => [
    `update ${SEALS} set seq = 1000000 where site_id = '${trail.site_id}' and seq = 2`,
    `update ${SEALS} set seq = 2 where site_id = '${trail.site_id}' and seq = 3`,
    `update ${SEALS} set seq = 3 where site_id = '${trail.site_id}' and seq = 1000000`,
  ],
  'the end cut off': (trail, _other, chance) => {
    const kept = Math.floor(chance.next() * trail.seals);
    return withoutSeal(`site_id = '${trail.site_id}' and seq > ${kept}`);
  },
  'all of it removed': ({ site_id }) => [
    `delete from ${EVENTS} where site_id = '${site_id}'`,
    `delete from ${SEALS} where site_id = '${site_id}'`,
  ],
  'made to look older than signatures': ({ site_id }) => [
    `update ${EVENTS} set hmac = null, key_id = null, created_at = '2020-01-01' where site_id = '${site_id}'`,
    `delete from ${SEALS} where site_id = '${site_id}'`,
    'delete from commerce.audit_keys',
  ],
};

function named({ site_id }: Trail, id: string): string {
  return `site_id = '${site_id}' and id = '${id}'`;
}

function rowOf(trail: Trail, chance: Chance): string {
  return named(trail, chance.of(trail.ids));
}

function sealOf({ site_id, seals }: Trail, chance: Chance): string {
  return `site_id = '${site_id}' and seq = ${1 + Math.floor(chance.next() * seals)}`;
}

function withoutSeal(which: string): string[] {
  return [
    `delete from ${EVENTS} e using ${SEALS} s where s.site_id = e.site_id and e.id = any(s.ids)
      and s.${which.replace(' and seq', ' and s.seq')}`,
    `delete from ${SEALS} where ${which}`,
  ];
}

/** Verifies a shop's audit, after an optional change that is rolled back afterwards. */
async function verify(
  { owner }: TestServer,
  site_id: string,
  head?: Head,
  tamper: (client: pg.PoolClient) => Promise<unknown> = async () => {},
) {
  const client = await owner.connect();
  try {
    await client.query('begin; set local search_path = commerce, public');
    await tamper(client);
    const connection = new Connection(client);
    return await verifySite(connection, site_id, await readAuditKeys(connection, SECRET_KEY), head);
  } finally {
    await client.query('rollback');
    client.release();
  }
}

/** An attacker adds a key, and signs a changed row with that key. */
async function forge(client: pg.PoolClient, { site_id, ids }: Trail): Promise<void> {
  const forged: AuditKey = { id: randomUUID(), key: randomBytes(32), made_at: '2020-01-01T00:00:00.000Z' };
  await client.query('insert into audit_keys (id, sealed) values ($1, $2)', [forged.id, randomBytes(80)]);
  const { rows } = await client.query(
    `update audit_events set status = 200, key_id = $3 where site_id = $1 and id = $2 returning *`,
    [site_id, ids.at(-1), forged.id],
  );
  await client.query('update audit_events set hmac = $3 where site_id = $1 and id = $2', [
    ...[site_id, ids.at(-1), signRow(forged, rows[0])],
  ]);
}

/** Runs the command as an operator does: on an intact audit, a changed row, a truncated chain, and an unknown site. */
function lookByCommand(url: string, { owner }: TestServer, trail: Trail, violations: Violations): Promise<void> {
  return withDirectory(async (directory) => {
    const head = join(directory, 'head.json');
    const env = { DATABASE_URL: url, DATA_DIR: directory, SECRET_KEY };
    const expect = async (what: string, code: number, ...more: string[]) => {
      const exit = await runCommand(['audit', 'verify', ...more], env, COMMAND_WITHIN_MS);
      if (exit.code !== code)
        violations.add(`audit verify, ${what}: expected exit code ${code}, got ${exit.code}: ${exit.output}`);
    };
    await expect('sound', 0, '--head', head);
    const id = trail.ids.at(-1);
    const values = [trail.site_id, id];
    await owner.query(`update ${EVENTS} set status = status + 1 where site_id = $1 and id = $2`, values);
    await expect('a changed row', 2, '--site', trail.site_id);
    await owner.query(`update ${EVENTS} set status = status - 1 where site_id = $1 and id = $2`, values);
    for (const statement of withoutSeal(`site_id = '${trail.site_id}' and seq > ${trail.seals - 1}`)) {
      await owner.query(statement);
    }
    await expect('cut off', 2, '--head', head);
    await expect('an unknown site', 1, '--site', randomUUID());
  });
}
