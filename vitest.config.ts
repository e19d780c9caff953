import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'spec', root: 'spec' } },
      { test: { name: 'sdk', root: 'sdk' } },
      { test: { name: 'cli', root: 'cli', testTimeout: 20_000 } },
      {
        test: {
          name: 'server',
          root: 'server',
          globalSetup: ['test/database.ts'],
          setupFiles: ['test/after-each-file.ts'],
          testTimeout: 20_000,
          hookTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'proofs',
          root: 'proofs',
          globalSetup: ['../server/test/database.ts'],
          setupFiles: ['../server/test/after-each-file.ts'],
          testTimeout: 60_000,
          hookTimeout: 30_000,
        },
      },
    ],
    maxWorkers: 3,
  },
});
