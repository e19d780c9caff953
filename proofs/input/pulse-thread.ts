/** The thread of `Pulse`. Requests /healthz every few milliseconds, and reports the longest wait on request. */

import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { RawClient, rawRequest } from '../testing/raw-http.ts';

const { port } = workerData as { port: number };
const PAUSE_MS = 4;
const client = new RawClient(port);

let longest = 0;
let asked: number | undefined;

parentPort?.on('message', () => {
  const open = asked === undefined ? 0 : performance.now() - asked;
  parentPort?.postMessage(Math.max(longest, open));
  longest = 0;
});

for (;;) {
  asked = performance.now();
  await client.send(rawRequest('GET', '/healthz', {}));
  longest = Math.max(longest, performance.now() - asked);
  asked = undefined;
  await sleep(PAUSE_MS);
}
