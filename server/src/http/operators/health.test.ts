import { expect, onTestFinished, test } from 'vitest';
import { startServer, stopServer } from '../../../test/server.ts';
import { databaseUrl } from '../../../test/worker-database.ts';

test('a server whose connections are all in use is ready', async () => {
  const server = await startServer(databaseUrl());
  onTestFinished(() => stopServer(server));
  const connections = await Promise.all(Array.from({ length: server.db.options.max }, () => server.db.connect()));
  onTestFinished(() => {
    for (const connection of connections) connection.release();
  });

  const answer = await fetch(`${server.baseUrl}/readyz`);

  expect([answer.status, await answer.json()]).toEqual([200, { status: 'ok' }]);
});
