import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { RETRY_TIMEOUTS } from './server/test/closing-line.ts';
import { LongestFirst } from './server/test/longest-first.ts';
import { diskFolder, memoryFolder } from './server/test/memory-folder.ts';

// The processes that tests start compile each source once between them, as those of bin/commerce-server.js do.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/compiled');

// Where the tests, and the processes that they start, have their temporary files.
process.env.TMPDIR ??= memoryFolder() ?? diskFolder();

// What a file loads is loaded once for all files of a worker, and what it changes, it puts back. Node loads the sources itself,
// as it does in production.
const loadedOnce = { isolate: false, experimental: { viteModuleRunner: false } };

/**
 * `npm test`. The short forms of the proofs and the examples are run by proofs/vitest.config.ts, installations by
 * installs/vitest.config.ts.
 */
export default defineConfig({
  test: {
    projects: [
      { test: { name: 'spec', root: 'spec', ...loadedOnce } },
      { test: { name: 'sdk', root: 'sdk', ...loadedOnce, testTimeout: 20_000 } },
      { test: { name: 'cli', root: 'cli', ...loadedOnce, testTimeout: 20_000 } },
      {
        test: {
          name: 'server',
          root: 'server',
          globalSetup: ['test/database.ts', 'test/lasting-invariants.ts'],
          setupFiles: ['test/after-each-file.ts'],
          ...loadedOnce,
          // Generous: on a busy machine seconds pass before anything has happened, and no test is about time.
          testTimeout: 60_000,
          hookTimeout: 90_000,
          expect: { poll: { timeout: 20_000 } },
        },
      },
      // What the proofs reckon with; the proofs themselves attack.
      { test: { name: 'proofs', root: 'proofs', ...loadedOnce } },
    ],
    maxWorkers: 3,
    retry: RETRY_TIMEOUTS,
    sequence: { sequencer: LongestFirst },
    reporters: ['default', './server/test/closing-line.ts'],
  },
});
