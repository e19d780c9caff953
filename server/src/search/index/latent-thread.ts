import { Worker } from 'node:worker_threads';
import type { Model } from './latent.ts';
import type { ProductText } from './latent-text.ts';

/** Starts a worker thread that trains a model, so that this thread can serve requests meanwhile. */
export async function startTraining(): Promise<{
  add(texts: ProductText[]): void;
  train(): Promise<Model>;
  end(): Promise<void>;
}> {
  const worker = new Worker(new URL('./latent-worker.ts', import.meta.url));
  const failed = new Promise<never>((_resolve, reject) => worker.once('error', reject));
  // A failure is reported to the caller of `train`; before that call, it must not count as an unhandled rejection.
  failed.catch(() => undefined);
  return {
    add: (texts) => worker.postMessage(texts),
    train() {
      const trained = new Promise<Model>((resolve) => worker.once('message', resolve));
      worker.postMessage('train');
      return Promise.race([trained, failed]);
    },
    async end() {
      await worker.terminate();
    },
  };
}
