import { Worker } from 'node:worker_threads';

/** The customers who log in, the server, and the duration. */
export interface Flood {
  url: string;
  headers: Record<string, string>;
  emails: string[];
  password: string;
  seconds: number;
}

/**
 * All customers log in at the same time, and again after each response (after its Retry-After, if any). Returns the
 * number of responses by status. Runs in a separate thread, so that sending does not make the server look slow.
 */
export function logInAtOnce(flood: Flood): Promise<Record<string, number>> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./simultaneous-logins-thread.ts', import.meta.url), { workerData: flood });
    worker.once('message', resolve).once('error', reject);
  });
}
