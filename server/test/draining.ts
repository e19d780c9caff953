import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { drainOnSignal } from '../src/drain.ts';
import { createLogger } from '../src/http/pipeline/log.ts';

// A small server that shuts down by the rules of drain.ts. Its first argument is `drainSeconds`. It prints its port,
// then its log and the path of each request.
const readiness = { draining: false };
const server = createServer(async (req, res) => {
  process.stdout.write(`${req.url}\n`);
  if (req.url === '/readyz') return res.writeHead(readiness.draining ? 503 : 200).end();
  if (req.url === '/throw') setTimeout(() => fail(), 10);
  if (req.url === '/slow') await sleep(1_000);
  if (req.url === '/never' || req.url === '/throw') return;
  res.end('served');
});

function fail(): never {
  throw new Error('nobody catches this');
}

const stop =
  (name: string, works = true) =>
  async () => {
    await sleep(10);
    process.stdout.write(`${name}\n`);
    if (!works) throw new Error(`${name} does not stop`);
  };

server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  drainOnSignal({
    server,
    readiness,
    stops: [stop('jobs'), stop('redis', false), stop('database')],
    logger: createLogger('info'),
    drainSeconds: Number(process.argv[2]),
  });
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
