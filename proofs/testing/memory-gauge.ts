/*
 * Preloaded into the server process. When the proof sends a message, it runs the garbage collector and reports the memory
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
// The channel must not keep a server alive that would otherwise exit.
process.channel?.unref();
