/** The worker thread of latent-thread.ts. It collects texts and trains a model on them on request. */

import { constants, setPriority } from 'node:os';
import { platform } from 'node:process';
import { parentPort } from 'node:worker_threads';
import { type TermWeights, trainModel } from './latent.ts';
import { type ProductText, weightsOf } from './latent-text.ts';

// On Linux this sets the priority of this thread only (setpriority(2)); on other systems it would set the priority of
// the whole process.
if (platform === 'linux') setPriority(constants.priority.PRIORITY_LOW);

const texts: TermWeights[] = [];

parentPort?.on('message', (message: ProductText[] | 'train') => {
  if (message === 'train') parentPort?.postMessage(trainModel(texts));
  else texts.push(...message.map(weightsOf));
});
