import { type Schemas, unwrap } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { addFlags, givenRequest } from '../flags.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { addExportOptions, type CsvColumns, type ExportOptions, exportPages, PAGES } from './export-pages.ts';

type Customer = Schemas['CustomerDetails'];

const EXAMPLES = `
The CSV has a row for each customer, with the default address and the newest decision about mails. JSONL has everything.
An export needs the scope customers:export, which a role may include and an API key needs by name.

Examples:
  $ commerce customers export --output customers.csv
  $ commerce customers export --format jsonl --from 2026-01-01 > new.jsonl`;

export function addCustomersExport(customers: Command, terminal: Terminal): void {
  const command = addFlags(customers.command('export'), 'dashboard.exportCustomers', PAGES).description(
    'Write all customers to a file or to the standard output.',
  );
  addExportOptions(command)
    .addHelpText('after', EXAMPLES)
    .action((options: ExportOptions, own: Command) => exportCustomers(options, own, terminal));
}

const COLUMNS: CsvColumns<Customer> = {
  email: ({ email }) => email,
  first_name: ({ first_name }) => first_name,
  last_name: ({ last_name }) => last_name,
  phone: ({ phone }) => phone,
  has_account: ({ has_account }) => has_account,
  email_verified_at: ({ email_verified_at }) => email_verified_at,
  marketing_opt_in: ({ marketing_opt_in }) => marketing_opt_in,
  marketing_decided_at: ({ marketing_consents: [newest] }) => newest?.recorded_at,
  marketing_source: ({ marketing_consents: [newest] }) => newest?.source,
  marketing_wording: ({ marketing_consents: [newest] }) => newest?.wording,
  orders_count: ({ orders_count }) => orders_count,
  total_spent: ({ total_spent }) => total_spent,
  locale: ({ locale }) => locale,
  company: (customer) => addressOf(customer)?.company,
  address1: (customer) => addressOf(customer)?.address1,
  address2: (customer) => addressOf(customer)?.address2,
  postal_code: (customer) => addressOf(customer)?.postal_code,
  city: (customer) => addressOf(customer)?.city,
  state: (customer) => addressOf(customer)?.state,
  country: (customer) => addressOf(customer)?.country,
  note: ({ note }) => note,
  created_at: ({ created_at }) => created_at,
  id: ({ id }) => id,
};

function addressOf({ addresses }: Customer): Customer['addresses'][number] | undefined {
  return addresses.find(({ is_default }) => is_default) ?? addresses[0];
}

async function exportCustomers(options: ExportOptions, command: Command, terminal: Terminal): Promise<void> {
  const given = await givenRequest<'dashboard.exportCustomers'>(command, terminal);
  const { client } = await openSession(command, terminal, { maxAttempts: 5 });
  const read = async (cursor: string | undefined) => {
    const query = { ...given.query, cursor };
    const page = await unwrap(client.GET('/api/dashboard/customers/export', { params: { query } }));
    return { entries: page.customers, next_cursor: page.next_cursor };
  };
  const rowsOf = (customer: Customer) => [customer];
  await exportPages({ noun: 'customers', read, rowsOf, columns: COLUMNS }, options, command, terminal);
}
