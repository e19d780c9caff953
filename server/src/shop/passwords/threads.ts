import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { Turns } from './turns.ts';

/**
 * Threads that hash passwords, one at a time each. They have a lower priority than other threads (thread.ts), and leave
 * one core free if there are several, so that hashing does not slow down requests.
 */
const THREADS = Math.min(4, Math.max(1, availableParallelism() - 1));

/** A password to hash, or to compare with `stored`. */
export interface Task {
  password: string;
  stored?: string;
}

const MAX_WAITING = 32;
const turns = new Turns({ atOnce: THREADS, maxWaiting: MAX_WAITING, refusal: 'Too many logins at once. Try again.' });
const idle: Worker[] = [];

/** Returns the hash, or whether the password matches. Throws `unavailable` if the queue is full. */
export function compute<Result extends string | boolean>(task: Task): Promise<Result> {
  return turns.take(async () => {
    const worker = idle.pop() ?? new Worker(new URL('./thread.ts', import.meta.url));
    // An idle thread must not keep the process alive, but a busy one must.
    worker.ref();
    worker.postMessage(task);
    // A thread that fails exits, and the next task starts another.
    const [result] = await once(worker, 'message');
    worker.unref();
    idle.push(worker);
    return result as Result;
  });
}
