import { setTimeout as sleep } from 'node:timers/promises';
import sql from 'sql-template-tag';
import { expect, test } from 'vitest';
import { openShop } from '../../../test/shop.ts';
import type { Caller } from './caller.ts';
import { createLastUsed } from './last-used.ts';

test('last_used_at is the time of the last use, not the time it was saved, and does not change after revocation', async () => {
  const { db, owner, site_id } = await openShop();
  const lastUsed = createLastUsed(db);
  const token = async () =>
    (
      await owner.query<{ id: string; used: Date; early: boolean; after: boolean }>(
        sql`select id, last_used_at < now() - interval '300 milliseconds' as early, last_used_at > revoked_at as after
          from commerce.tokens where site_id = ${site_id} and kind = 'sync'`,
      )
    ).rows[0];
  const id = (await token())?.id ?? '';
  const caller = { kind: 'sync', credential_id: id, tenant: { site_id } } as Caller;

  lastUsed.note(caller);
  await sleep(400);
  await db.query(sql`select set_config('app.site_id', ${site_id}, false)`);
  await lastUsed.flush();
  expect((await token())?.early).toBe(true);

  await owner.query(sql`update commerce.tokens set revoked_at = now() where site_id = ${site_id} and id = ${id}`);
  await sleep(10);
  lastUsed.note(caller);
  await lastUsed.flush();
  expect((await token())?.after).toBe(false);
});
