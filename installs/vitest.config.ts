import { defineConfig } from 'vitest/config';

/**
 * Tests of packages that are packed and installed elsewhere: `npm run test:installs`. Needs access to the npm registry.
 */
export default defineConfig({
  test: {
    name: 'installs',
    root: import.meta.dirname,
    globalSetup: ['../server/test/database.ts'],
    setupFiles: ['../server/test/after-each-file.ts'],
    testTimeout: 120_000,
    hookTimeout: 300_000,
    reporters: ['default', '../server/test/closing-line.ts'],
  },
});
