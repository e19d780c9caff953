import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Loaded into a server before its own code: collects garbage on demand, and reports the memory in use. */
export type MemoryInUse = Pick<NodeJS.MemoryUsage, 'rss' | 'arrayBuffers'>;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

process.on('message', () => {
  collectGarbage();
  collectGarbage();
  const { rss, arrayBuffers } = process.memoryUsage();
  process.send?.({ rss, arrayBuffers } satisfies MemoryInUse);
});
// Listening must not keep an otherwise finished server alive.
process.channel?.unref();
