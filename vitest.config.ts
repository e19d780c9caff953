import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The proofs take longest: begun last, one of them would be waited for alone. */
class ProofsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project }: TestSpecification) => (project.name === 'proofs' ? 0 : 1);
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}

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
          // The server is loaded once for all files of a worker; what a file changes, it puts back.
          isolate: false,
          testTimeout: 20_000,
          hookTimeout: 30_000,
          // On a busy machine, a second passes before anything has happened.
          expect: { poll: { timeout: 10_000 } },
        },
      },
      {
        // Not part of `npm test`, since it takes packages from the registry: `npm run test:installs`.
        test: {
          name: 'installs',
          root: 'installs',
          globalSetup: ['../server/test/database.ts'],
          setupFiles: ['../server/test/after-each-file.ts'],
          testTimeout: 120_000,
          hookTimeout: 300_000,
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
    sequence: { sequencer: ProofsFirst },
  },
});
