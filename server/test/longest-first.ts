import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Test files that take longer than their length suggests, the longest first. Started last, one of them would keep a worker busy
 * when the others have finished.
 */
const LONG = [
  'demo/seed.test.ts',
  'search/rank/search.test.ts',
  'commands/doctor.test.ts',
  'jobs/due-jobs.test.ts',
  'db/migrate.test.ts',
  'docs/samples.test.ts',
  'db/roles.test.ts',
  'db/pooler.test.ts',
  'contract/independent-check.test.ts',
  'commands/rotate-secret-key.test.ts',
  'jobs/abandoned-jobs.test.ts',
  'commands/listen.test.ts',
  'db/embedded-copy.test.ts',
  'shop/lock-order.test.ts',
  'index/learn-meanings.test.ts',
  'src/drain.test.ts',
];

/** Starts long files first even without measurements by vitest, as on a clean clone. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification) => {
      const place = LONG.findIndex((name) => moduleId.endsWith(`/${name}`));
      return place === -1 ? LONG.length : place;
    };
    return sorted.toSorted((a, b) => (a.project.name === b.project.name ? rank(a) - rank(b) : 0));
  }
}
