import { randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FILES_DIR, SECRET_KEY } from '../../test/server.ts';
import { openShop } from '../../test/shop.ts';
import { databaseUrl } from '../../test/worker-database.ts';
import { readFrames } from '../backup/format.ts';
import { verify } from '../backup/verify.ts';
import { asOwner } from '../db/as-owner.ts';
import { openPool } from '../db/connect.ts';
import { inTransaction } from '../db/transaction.ts';
import { directoryStore } from '../files/directory.ts';
import { createOperatorApp } from '../operator-app.ts';
import { createKey } from '../shop/operators/keys.ts';

let owner: pg.Pool;
let server: Server;
let headers: Record<string, string>;
let base: string;

beforeAll(async () => {
  await openShop();
  owner = openPool({ url: databaseUrl(), max: 4, pooling: 'session' });
  const app = createOperatorApp({
    ...{ owner, logger: pino({ level: 'silent' }), baseUrl: 'http://localhost', card: undefined },
    ...{ secretKey: SECRET_KEY, rateLimits: false, validateResponses: true, files: directoryStore(FILES_DIR) },
  });
  server = createServer(app);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/operator/sites`;
  const { secret } = await inTransaction(owner, (connection) =>
    asOwner(connection, () => createKey(connection, { description: 'exports', days: 1 })),
  );
  headers = { Authorization: `Bearer ${secret}` };
});

afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await owner.end();
});

test('an export over HTTP is the file that the command writes, with the rows of one site, and is recorded', async () => {
  const [shop, neighbour] = [await openShop(), await openShop()];
  const [mine, theirs] = [
    await shop.givenProduct({ name: 'Oak bowl' }),
    await neighbour.givenProduct({ name: 'Elm bowl' }),
  ];
  const file = join(tmpdir(), `${randomUUID()}.site`);

  const answer = await fetch(`${base}/${shop.site_id}/export`, { headers });
  writeFileSync(file, new Uint8Array(await answer.arrayBuffer()));

  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/octet-stream']);
  const { header } = await verify(file);
  expect(header.site).toMatchObject({ site_id: shop.site_id, open_payments: 0 });
  let rows = '';
  for await (const frame of readFrames(file)) if (frame.kind === 'rows') rows += frame.rows.toString();
  rmSync(file);
  expect([rows.includes(mine.id), rows.includes('Oak bowl')]).toEqual([true, true]);
  for (const foreign of [theirs.id, 'Elm bowl', neighbour.site_id]) expect(rows).not.toContain(foreign);
  const noted = await inTransaction(owner, (connection) =>
    asOwner(connection, () =>
      connection.query(
        `select operation, status from commerce.operator_audit_events where about_site = $1 order by created_at`,
        [shop.site_id],
      ),
    ),
  );
  expect(noted.rows).toEqual([{ operation: 'operator.exportSite', status: 200 }]);
});

test('nothing is exported of a site that does not exist', async () => {
  const answer = await fetch(`${base}/${randomUUID()}/export`, { headers });

  expect([answer.status, ((await answer.json()) as { error: string }).error]).toEqual([404, 'not_found']);
});
