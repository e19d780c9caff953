import { Worker } from 'node:worker_threads';
import type { Model } from './latent.ts';
import type { Text } from './latent-text.ts';

/** Learns in a thread of its own, so that requests are answered meanwhile. */
export async function startLearning(): Promise<{
  add(texts: Text[]): void;
  learn(): Promise<Model>;
  end(): Promise<void>;
}> {
  const worker = new Worker(new URL('./latent-worker.ts', import.meta.url));
  const failed = new Promise<never>((_resolve, reject) => worker.once('error', reject));
  // Told to whoever awaits the model; nobody may.
  failed.catch(() => undefined);
  return {
    add: (texts) => worker.postMessage(texts),
    learn() {
      const learnt = new Promise<Model>((resolve) => worker.once('message', resolve));
      worker.postMessage('learn');
      return Promise.race([learnt, failed]);
    },
    async end() {
      await worker.terminate();
    },
  };
}
