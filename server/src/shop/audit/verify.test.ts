import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { expect, test } from 'vitest';
import { givenAgent } from '../../../test/agents.ts';
import { SECRET_KEY } from '../../../test/server.ts';
import { openShop } from '../../../test/shop.ts';
import { databaseUrl } from '../../../test/worker-database.ts';
import { Connection } from '../../db/connect.ts';
import { sealAudit } from '../../jobs/seal-audit.ts';
import { openAuditKey, readAuditKeys } from './keys.ts';
import { type Head, verifySite } from './verify.ts';

type OpenShop = Awaited<ReturnType<typeof openShop>>;

/** Seals the committed rows in two concurrent workers. */
async function seal({ db }: OpenShop): Promise<void> {
  const pool = new pg.Pool({ connectionString: databaseUrl(), max: 2 });
  const key = await openAuditKey(db, SECRET_KEY);
  const once = async () => {
    const client = await pool.connect();
    await sealAudit(client, key).finally(() => client.release());
  };
  await Promise.all([once(), once()]).finally(() => pool.end());
}

/**
 * Verifies the audit after a statement that an attacker with write access to every table could run, and rolls the
 * statement back.
 */
async function found({ owner, site_id }: OpenShop, statement = 'select 1', head?: Head) {
  const client = await owner.connect();
  try {
    await client.query('begin');
    await client.query('set local search_path = commerce, public');
    await client.query(statement.replaceAll('SITE', `site_id = '${site_id}'`));
    const connection = new Connection(client);
    return await verifySite(connection, site_id, await readAuditKeys(connection, SECRET_KEY), head);
  } finally {
    await client.query('rollback');
    client.release();
  }
}

test('`audit verify` reports audit rows changed without SECRET_KEY, and accepts those written by the server', async () => {
  const shop = await openShop();
  const customer = await shop.givenCustomer();
  const { agent } = await givenAgent(shop, customer);
  const look = (query: string) => agent.POST('/api/agent/intent/find', { body: { query } });
  for (const word of ['mug', 'bowl']) await look(word);
  await seal(shop);
  for (const word of ['plate', 'cup', 'jug']) await look(word);
  await seal(shop);
  await look('glass');

  const sound = await found(shop);
  expect(sound).toMatchObject({ waiting: 1, legacy: 0, erased: 0, findings: [], head: { seq: 2 } });
  const head = sound.head as Head;
  const events = 'commerce.audit_events';
  const seals = 'commerce.audit_seals';
  const jug = `(select id from ${events} where SITE and details like '%jug%')`;
  const bowl = `(select id from ${events} where SITE and details like '%bowl%')`;
  const tampered: [statement: string, sentence: RegExp][] = [
    [`update ${events} set status = 403 where SITE and id = ${jug}`, /^The row \S+ was changed\.$/],
    [`update ${events} set details = replace(details, 'jug', 'jar') where SITE and id = ${jug}`, /details .* changed/],
    [`update ${events} set details = null, details_salt = null where SITE and id = ${jug}`, /was not erased/],
    [
      `update ${events} set created_at = created_at - interval '1 day' where SITE and id = ${jug}`,
      /rows of seal 2 were exchanged/,
    ],
    [`update ${events} set hmac = null, key_id = null where SITE and id = ${jug}`, /its signature is gone/],
    [`delete from ${events} where SITE and id = ${jug}`, /^The row \S+ of seal 2 was removed\.$/],
    [`delete from ${seals} where SITE and seq = 1`, /seals 1 to 1 were removed/],
    [`update ${seals} set ids = array_remove(ids, ${jug}), count = count - 1 where SITE and seq = 2`, /Seal 2 was/],
    [
      `with moved as (update ${events} set id = '${randomUUID()}' where SITE and id = ${jug}) select`,
      /The row \S+ of seal 2 was removed/,
    ],
    [
      `update ${events} e set details = o.details, details_salt = o.details_salt, details_hash = o.details_hash
        from ${events} o where e.id = ${jug} and o.id = ${bowl} and e.site_id = o.site_id`,
      /was changed/,
    ],
    [
      `insert into ${events} (site_id, id, actor_type, actor_id, action, status, payload_hash, correlation_id, created_at)
        select site_id, '${randomUUID()}', actor_type, actor_id, action, 200, '', '', now() + interval '2 days'
        from ${events} where SITE and id = ${jug}`,
      /has no signature/,
    ],
    [`update commerce.audit_keys set sealed = '\\x00'`, /SECRET_KEY does not open/],
    [`delete from commerce.audit_keys`, /is missing/],
  ];
  for (const [statement, sentence] of tampered) {
    const { findings } = await found(shop, statement);
    expect(findings, statement).toContainEqual(expect.stringMatching(sentence));
  }
  const cut = `with cut as (delete from ${seals} where SITE and seq = 2 returning ids)
    delete from ${events} e using cut where e.SITE and e.id = any(cut.ids)`;
  expect((await found(shop, cut)).findings).toEqual([]);
  expect((await found(shop, cut, head)).findings).toEqual([
    'The seals after 1 were cut off: the known head is seal 2.',
  ]);

  await expect(shop.db.query(`update ${seals} set count = 0`)).rejects.toThrow('permission denied');
  const path = { customer_id: customer.id };
  await shop.dashboard.POST('/api/dashboard/customers/{customer_id}/anonymize', { params: { path } });
  await look('after the end');
  const erased = await found(shop, 'select 1', head);
  expect(erased).toMatchObject({ erased: 6, findings: [] });
  const { rows } = await shop.owner.query(
    `select from ${events} where site_id = $1 and (details like '%jug%' or details like '%the end%')`,
    [shop.site_id],
  );
  expect(rows).toHaveLength(0);

  // An erasure cannot cover a row that was written long after it.
  const { owner, site_id } = shop;
  const revoked = (at: string) =>
    owner.query(`update commerce.tokens set revoked_at = ${at} where site_id = $1 and kind = 'agent'`, [site_id]);
  await revoked('null');
  await look('vase');
  await revoked('now()');
  const later = `update ${events} set created_at = created_at + interval '2 minutes'`;
  await owner.query(`${later} where site_id = $1 and details like '%vase%'`, [site_id]);
  const vase = `(select id from ${events} where SITE and details like '%vase%')`;
  expect(await found(shop)).toMatchObject({ erased: 6, findings: [] });
  const emptied = `update ${events} set details = null, details_salt = null where SITE and id = ${vase}`;
  expect((await found(shop, emptied)).findings).toEqual([
    expect.stringMatching(/^The details of the row \S+ were removed, but its customer was erased before/),
  ]);
});
