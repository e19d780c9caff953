import { Worker } from 'node:worker_threads';

/** The logins, their address, and the duration. */
export interface Flood {
  url: string;
  headers: Record<string, string>;
  emails: string[];
  password: string;
  seconds: number;
}

/**
 * All log in at once, and again as soon as they get a response; Retry-After is respected. Returns the count of
 * each status. In a thread of its own, so that handling the flood does not look like a slow response to somebody else.
 */
export function logInAtOnce(flood: Flood): Promise<Record<string, number>> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./login-flood-thread.ts', import.meta.url), { workerData: flood });
    worker.once('message', resolve).once('error', reject);
  });
}
