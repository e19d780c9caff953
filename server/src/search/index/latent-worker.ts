import { parentPort } from 'node:worker_threads';
import { type TermWeights, trainModel } from './latent.ts';
import { type ProductText, weightsOf } from './latent-text.ts';

/** The worker of latent-thread.ts: collects texts, and trains a model on them when told to. */
const texts: TermWeights[] = [];

parentPort?.on('message', (message: ProductText[] | 'train') => {
  if (message === 'train') parentPort?.postMessage(trainModel(texts));
  else texts.push(...message.map(weightsOf));
});
