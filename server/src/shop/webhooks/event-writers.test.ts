import contract from '@commerce-backend/spec/openapi.json' with { type: 'json' };
import { expect, test } from 'vitest';
import { testServer } from '../../../test/server.ts';
import { EVENT_WRITERS } from './event-writers.ts';

test('the table of event writers contains each event of the contract, and its triggers write these events', async () => {
  const { db } = await testServer();
  const { rows } = await db.query<{ table: string; function: string; body: string }>(
    `select distinct c.relname as table, p.proname as function, pg_get_functiondef(p.oid) as body
      from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_proc p on p.oid = t.tgfoid
      join pg_namespace n on n.oid = p.pronamespace where n.nspname = 'commerce' and not t.tgisinternal`,
  );
  const emitting = rows.filter(({ body }) => body.includes('commerce.emit'));
  const written = Object.entries(EVENT_WRITERS);

  expect(written.map(([type]) => type).toSorted()).toEqual(Object.keys(contract.webhooks).toSorted());
  for (const [type, { trigger }] of written) {
    if (!trigger) continue;
    const writer = emitting.find((row) => row.table === trigger.table && row.function === trigger.function);
    expect(writer?.body, `${trigger.function} writes ${type}`).toContain(`'${type}'`);
  }
  const told = new Set(written.map(([, { trigger }]) => trigger?.function));
  expect(emitting.filter((row) => !told.has(row.function)).map((row) => row.function)).toEqual([]);
});
