import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { RETRY_TIMEOUTS } from '../server/test/closing-line.ts';
import { LongestFirst } from '../server/test/longest-first.ts';
import { diskFolder } from '../server/test/memory-folder.ts';

// Uses the same cache and temporary folder as the tests (../vitest.config.ts).
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../node_modules/.cache/compiled');
process.env.TMPDIR ??= diskFolder();

/**
 * Runs the slow tests (*.short.ts): the short forms of the proofs, and tests of the code blocks in the documents, the
 * examples, backups, and pages in a real browser. Started by `npm run prove -- --short`.
 */
export default defineConfig({
  test: {
    name: 'proofs',
    root: import.meta.dirname,
    include: ['*/*.short.ts', '../server/{src,test}/**/*.short.ts'],
    globalSetup: ['../server/test/database.ts'],
    setupFiles: ['../server/test/after-each-file.ts'],
    // As in the tests, the files of a worker share loaded modules. Loading and compiling them took seconds for each
    // file.
    ...{ isolate: false, experimental: { viteModuleRunner: false } },
    execArgv: ['--max-semi-space-size=32'],
    testTimeout: 600_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    // More workers than a small machine has cores, because many proofs wait most of the time.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    retry: RETRY_TIMEOUTS,
    reporters: ['default', '../server/test/closing-line.ts'],
  },
});
