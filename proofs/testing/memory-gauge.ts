/*
 * Preloaded into the server process. Each message of the proof makes it run the garbage collector and report the memory
 * use.
 */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export type MemoryInUse = Pick<NodeJS.MemoryUsage, 'rss' | 'arrayBuffers'>;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

process.on('message', () => {
  collectGarbage();
  collectGarbage();
  const { rss, arrayBuffers } = process.memoryUsage();
  process.send?.({ rss, arrayBuffers } satisfies MemoryInUse);
});
// The channel must not keep the server alive.
process.channel?.unref();
