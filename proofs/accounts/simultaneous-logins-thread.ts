/** The thread of `logInAtOnce`: sends the logins, and posts the number of responses by status. */

import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import type { Flood } from './simultaneous-logins.ts';

const { url, headers, emails, password, seconds } = workerData as Flood;
const ANSWER_WITHIN_MS = 30_000;
const agent = new Agent({ keepAlive: true, maxSockets: emails.length });
const until = Date.now() + seconds * 1_000;
const counts: Record<string, number> = {};

await Promise.all(emails.map(logIn));
agent.destroy();
parentPort?.postMessage(counts);

async function logIn(email: string): Promise<void> {
  while (Date.now() < until) {
    const { status, wait } = await post(email, randomUUID());
    counts[status] = (counts[status] ?? 0) + 1;
    await sleep(wait * 1_000);
  }
}

interface Answered {
  status: string;
  /** The number of seconds to wait before the next login. */
  wait: number;
}

function post(email: string, key: string): Promise<Answered> {
  const own = { ...headers, 'Content-Type': 'application/json', 'Idempotency-Key': key };
  return new Promise((resolve) => {
    const sent = request(url, { agent, method: 'POST', headers: own, timeout: ANSWER_WITHIN_MS }, (response) => {
      response.resume().on('end', () => resolve(answered(response.statusCode, response.headers['retry-after'])));
    });
    sent.on('timeout', () => sent.destroy(new Error('There was no answer.')));
    sent.on('error', (error: NodeJS.ErrnoException) => {
      // The server may close an idle connection just when the login is sent, so the login is sent again with the same
      // key.
      if (sent.reusedSocket && error.code === 'ECONNRESET') resolve(post(email, key));
      else resolve({ status: error.message, wait: 1 });
    });
    sent.end(JSON.stringify({ email, password }));
  });
}

function answered(status: number | undefined, retryAfter: string | undefined): Answered {
  if (status === 503 && !retryAfter) return { status: '503 without Retry-After', wait: 1 };
  return { status: String(status), wait: Number(retryAfter ?? 0) };
}
