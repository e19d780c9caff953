import { expect, onTestFinished, test } from 'vitest';
import { startServer, stopServer, testServer } from '../../../test/server.ts';
import { databaseUrl } from '../../../test/worker-database.ts';
import { LATEST_MIGRATION } from '../../db/migrate.ts';

test('/readyz answers 200 while all database connections are in use', async () => {
  const server = await startServer(databaseUrl());
  onTestFinished(() => stopServer(server));
  const connections = await Promise.all(Array.from({ length: server.db.options.max }, () => server.db.connect()));
  onTestFinished(() => {
    for (const connection of connections) connection.release();
  });

  const answer = await fetch(`${server.baseUrl}/readyz`);

  expect([answer.status, await answer.json()]).toMatchObject([200, { status: 'ok' }]);
});

test("/readyz answers 503 until the server's migrations are applied, then 200, even if the database has newer migrations", async () => {
  const { owner } = await testServer();
  const isReady = async () => {
    const server = await startServer(databaseUrl());
    const answer = await fetch(`${server.baseUrl}/readyz`);
    await stopServer(server);
    return [answer.status, ((await answer.json()) as { reason?: string }).reason];
  };

  await owner.query(`insert into public.commerce_migrations (name, batch) values ('9999_newer', 99)`);
  const besideNewer = await isReady();
  await owner.query(`delete from public.commerce_migrations where name = '9999_newer'`);
  await owner.query(`update public.commerce_migrations set name = 'x' || name where name = $1`, [LATEST_MIGRATION]);
  const beforeOwn = await isReady();
  await owner.query('update public.commerce_migrations set name = substr(name, 2) where name = $1', [
    `x${LATEST_MIGRATION}`,
  ]);

  expect(besideNewer).toEqual([200, undefined]);
  expect(beforeOwn).toEqual([503, 'The database has an older schema version: run commerce-server migrate.']);
});

test('/readyz answers 503 before the server has read the hosts of the sites', async () => {
  const { hosts } = await testServer();
  const server = await startServer(databaseUrl(), { hosts: { ...hosts, isRead: () => false } });
  onTestFinished(() => stopServer(server));

  const answer = await fetch(`${server.baseUrl}/readyz`);

  const reason = 'The hosts of the sites have not been read yet.';
  expect([answer.status, await answer.json()]).toEqual([503, { status: 'unavailable', reason }]);
});
