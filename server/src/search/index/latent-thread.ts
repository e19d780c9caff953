import { Worker } from 'node:worker_threads';
import type { Model } from './latent.ts';
import type { ProductText } from './latent-text.ts';

/** Trains a model in a worker thread, so that this thread can answer requests meanwhile. */
export async function startTraining(): Promise<{
  add(texts: ProductText[]): void;
  train(): Promise<Model>;
  end(): Promise<void>;
}> {
  const worker = new Worker(new URL('./latent-worker.ts', import.meta.url));
  const failed = new Promise<never>((_resolve, reject) => worker.once('error', reject));
  // The caller that awaits `train` sees the error. Until then the rejection must not count as unhandled.
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
