import { randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Operators, openOperators, SITES } from '../../test/operators.ts';
import { testServer } from '../../test/server.ts';
import { openShop } from '../../test/shop.ts';
import { readFrames } from '../backup/format.ts';
import { verify } from '../backup/verify.ts';

let operators: Operators;

beforeAll(async () => {
  await testServer();
  operators = await openOperators();
});

afterAll(() => operators.close());

function exportOf(site_id: string): Promise<Response> {
  const headers = { Authorization: `Bearer ${operators.secret}` };
  return fetch(`${operators.base}${SITES}/${site_id}/export`, { headers });
}

test("exporting a site over HTTP returns only the site's data, and is recorded in the operator audit log", async () => {
  const [shop, neighbour] = [await openShop(), await openShop()];
  const [mine, theirs] = [
    await shop.givenProduct({ name: 'Oak bowl' }),
    await neighbour.givenProduct({ name: 'Elm bowl' }),
  ];
  const file = join(tmpdir(), `${randomUUID()}.site`);

  const answer = await exportOf(shop.site_id);
  writeFileSync(file, new Uint8Array(await answer.arrayBuffer()));

  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/octet-stream']);
  const { header } = await verify(file);
  expect(header.site).toMatchObject({ site_id: shop.site_id, open_payments: 0 });
  let rows = '';
  for await (const frame of readFrames(file)) if (frame.kind === 'rows') rows += frame.rows.toString();
  rmSync(file);
  expect([rows.includes(mine.id), rows.includes('Oak bowl')]).toEqual([true, true]);
  for (const foreign of [theirs.id, 'Elm bowl', neighbour.site_id]) expect(rows).not.toContain(foreign);
  const noted = await operators.asKeeper((connection) =>
    connection.client.query(
      `select operation, status from commerce.operator_audit_events where about_site = $1 order by created_at`,
      [shop.site_id],
    ),
  );
  expect(noted.rows).toEqual([{ operation: 'operator.exportSite', status: 200 }]);
});

test('answers 404 when exporting an unknown site', async () => {
  const answer = await exportOf(randomUUID());

  expect([answer.status, ((await answer.json()) as { error: string }).error]).toEqual([404, 'not_found']);
});
