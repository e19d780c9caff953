import { getPriority, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { hashSync, verifySync } from '@node-rs/argon2';
import type { Task } from './threads.ts';

/** The minimum that OWASP recommends for Argon2id: 19 MiB, 2 passes, 1 lane. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const LESS_URGENT = 5;
const LEAST_URGENT = 19;

// On Linux this sets the priority of the calling thread, elsewhere of the whole process.
if (process.platform === 'linux') setPriority(Math.min(LEAST_URGENT, getPriority() + LESS_URGENT));

parentPort?.on('message', ({ password, stored }: Task) => {
  parentPort?.postMessage(stored === undefined ? hashSync(password, COST) : verifySync(stored, password));
});
