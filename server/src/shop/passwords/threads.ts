import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { Turns } from './turns.ts';

/**
 * The threads that compute hashes of passwords, one hash at a time each. They have a lower priority than the rest (see
 * thread.ts), and leave a core to it where there is more than one: hashes get the time that is left over.
 */
const THREADS = Math.min(4, Math.max(1, availableParallelism() - 1));

/** A password to be hashed, or to be compared with the stored hash. */
export interface Task {
  password: string;
  stored?: string;
}

const MAX_WAITING = 32;
const turns = new Turns({ atOnce: THREADS, maxWaiting: MAX_WAITING, refusal: 'Too many logins at once. Try again.' });
const idle: Worker[] = [];

/** The hash, or whether the password fits the stored one. Throws `unavailable` when too many are being computed. */
export function compute<Result extends string | boolean>(task: Task): Promise<Result> {
  return turns.take(async () => {
    const worker = idle.pop() ?? new Worker(new URL('./thread.ts', import.meta.url));
    // The thread keeps the process from ending only while it is at work.
    worker.ref();
    worker.postMessage(task);
    // A thread that fails ends, and the next task starts another.
    const [result] = await once(worker, 'message');
    worker.unref();
    idle.push(worker);
    return result as Result;
  });
}
