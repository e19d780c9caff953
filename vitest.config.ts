import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { RETRY_TIMEOUTS } from './server/test/closing-line.ts';
import { LongestFirst } from './server/test/longest-first.ts';
import { diskFolder, memoryFolder } from './server/test/memory-folder.ts';

// The processes of tests share a compile cache, like those of bin/commerce-server.js.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/compiled');

// The folder for temporary files of the tests and their processes.
process.env.TMPDIR ??= memoryFolder() ?? diskFolder();

// The files of a worker share loaded modules, so each file must restore what it changes. Node loads the sources itself, as in
// production.
const loadedOnce = {
  isolate: false,
  experimental: { viteModuleRunner: false },
  // Most objects of a request are short-lived. With the default size, collecting them takes a tenth of the time.
  execArgv: ['--max-semi-space-size=32'],
};

/**
 * `npm test`. The short forms of the proofs and the examples are run by proofs/vitest.config.ts, installations by
 * installs/vitest.config.ts.
 */
export default defineConfig({
  test: {
    projects: [
      { test: { name: 'spec', root: 'spec', ...loadedOnce } },
      { test: { name: 'sdk', root: 'sdk', ...loadedOnce, testTimeout: 20_000 } },
      { test: { name: 'cli', root: 'cli', ...loadedOnce, testTimeout: 20_000, expect: { poll: { timeout: 15_000 } } } },
      {
        test: {
          name: 'server',
          root: 'server',
          globalSetup: ['test/database.ts', 'test/lasting-invariants.ts'],
          setupFiles: ['test/after-each-file.ts'],
          ...loadedOnce,
          // Generous, because a busy machine needs seconds before a test begins, and no test measures time.
          testTimeout: 60_000,
          hookTimeout: 90_000,
          expect: { poll: { timeout: 20_000 } },
        },
      },
      // Unit tests of the proofs' own code. The proofs run with proofs/vitest.config.ts.
      { test: { name: 'proofs', root: 'proofs', ...loadedOnce } },
    ],
    // More workers than a small machine has cores, because some tests wait.
    maxWorkers: 4,
    retry: RETRY_TIMEOUTS,
    sequence: { sequencer: LongestFirst },
    reporters: ['default', './server/test/closing-line.ts'],
  },
});
