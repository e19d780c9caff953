import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Slow test files, the slowest first. If a slow file started last, it would delay the end of the run. */
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
  'panel/desk.short.ts',
  'panel/catalogue.short.ts',
  'panel/forms.short.ts',
  'agents/budgets.short.ts',
  'faults/isolated.short.ts',
  'faults/connections.short.ts',
  'accounts/accounts.short.ts',
  'tenancy/tenancy.short.ts',
  'docs-and-examples/pasted.short.ts',
  'faults/crashes.short.ts',
  'pages/pages.short.ts',
  'input/input.short.ts',
  'docs-and-examples/storefront.short.ts',
  'agents/consent.short.ts',
  'faults/load.short.ts',
];

/** Starts slow files first, even on a clean clone, where vitest has no measurements of earlier runs. */
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
