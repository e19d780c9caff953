import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { databaseUrl } from '../../test/worker-database.ts';
import { copyOut } from './copy.ts';

/** PostgreSQL's message CopyDone. CommandComplete, which contains the number of rows, follows it. */
const COPY_DONE = Buffer.from('c\0\0\0\x04', 'latin1');

/** A proxy to the test database that delays all that follows a CopyDone, as a network with small packets may do. */
async function startSplittingProxy(): Promise<string> {
  const { hostname, port } = new URL(databaseUrl());
  const sockets = new Set<Socket>();
  let splits = 0;
  const proxy = createServer((client) => {
    const database = connect(Number(port), hostname);
    for (const socket of [client, database]) sockets.add(socket.on('error', () => undefined));
    client.pipe(database);
    database.on('close', () => client.destroy());
    let sent: Promise<unknown> = Promise.resolve();
    database.on('data', (chunk: Buffer) => {
      const end = chunk.indexOf(COPY_DONE) + COPY_DONE.length;
      if (end < COPY_DONE.length) {
        sent = sent.then(() => client.write(chunk));
        return;
      }
      splits++;
      sent = sent.then(() => client.write(chunk.subarray(0, end)));
      sent = sent.then(() => sleep(50)).then(() => client.write(chunk.subarray(end)));
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => proxy.close(resolve));
    expect(splits).toBeGreaterThan(0);
  });
  const own = String((proxy.address() as AddressInfo).port);
  return Object.assign(new URL(databaseUrl()), { hostname: '127.0.0.1', port: own }).href;
}

test('a table is copied completely when its number of rows arrives in a later packet than the rows', async () => {
  const client = new pg.Client(await startSplittingProxy());
  await client.connect();
  onTestFinished(() => client.end());
  const query = `select n, 'row ' || n from generate_series(1, 26) n`;
  const copied: Buffer[] = [];
  for await (const frame of copyOut(client, { table: 'numbers', index: 0, of: 1 }, query, () => undefined)) {
    copied.push(frame);
  }
  const text = Buffer.concat(copied).toString('latin1');
  expect(text).toContain('1\trow 1\n');
  expect(text).toContain('26\trow 26\n');
  expect(text).toContain('"rows":26');
});
