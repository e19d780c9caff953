import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Slow files, in the order in which they start. If one started last, it would delay the end of the run. Files that
 * mostly wait come between files that mostly compute.
 */
const LONG = [
  'commands/read-only.test.ts',
  'commands/site-move.test.ts',
  'jobs/hanging-mail-server.test.ts',
  'commands/rollback.test.ts',
  'jobs/retention.test.ts',
  'storefront/hanging-stripe.test.ts',
  'dashboard/files.test.ts',
  'commands/start-many.test.ts',
  'sites/deletion.test.ts',
  'commands/final-export.test.ts',
  'tracing/tracing.test.ts',
  'commands/standbys.test.ts',
  'commands/keep-secrets.test.ts',
  'order/due-payments.test.ts',
  'commands/doctor.test.ts',
  'dashboard/documents.test.ts',
  'db/migrate.test.ts',
  'checkout/checkout.test.ts',
  'invoices/archive.test.ts',
  'test/mocks.test.ts',
  'faults/failover.short.ts',
  'tenancy/tenancy.short.ts',
  'test/alerts.short.ts',
  'agents/agents.short.ts',
  'faults/isolated.short.ts',
  'accounts/accounts.short.ts',
  'faults/standbys.short.ts',
  'docs-and-examples/pasted.short.ts',
  'panel/catalogue.short.ts',
  'panel/desk.short.ts',
  'panel/forms.short.ts',
  'input/input.short.ts',
  'idempotency/idempotency.short.ts',
  'stock-and-money/stock-and-money.short.ts',
  'pages/pages.short.ts',
  'faults/connections.short.ts',
  'protocols/protocols.short.ts',
  'webhooks/webhooks.short.ts',
  'faults/load.short.ts',
  'docs-and-examples/storefront.short.ts',
  'faults/crashes.short.ts',
  'docs-and-examples/docs-site.short.ts',
  'faults/embedded-database-starts.short.ts',
  'mails/mails-browser.short.ts',
  'pages/accessibility.short.ts',
  'panel/hostile-panel.short.ts',
  'payments/payments.short.ts',
  'backup/backup.short.ts',
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
