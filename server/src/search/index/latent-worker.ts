import { parentPort } from 'node:worker_threads';
import { learn, type Weights } from './latent.ts';
import { type Text, weightsOf } from './latent-text.ts';

/** The thread of latent-thread.ts: takes texts, and learns from them when told to. */
const texts: Weights[] = [];

parentPort?.on('message', (message: Text[] | 'learn') => {
  if (message === 'learn') parentPort?.postMessage(learn(texts));
  else texts.push(...message.map(weightsOf));
});
