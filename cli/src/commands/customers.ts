import { type Schemas, unwrap } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { calls } from '../operations.ts';
import { type Column, facts, moment, type Paint, pageLine, show, styleOf, table } from '../output.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { customerIdOf } from './customer-id.ts';
import { addCustomerWrites } from './customer-writes.ts';
import { addCustomersExport } from './customers-export.ts';
import { addCustomersImport } from './customers-import.ts';
import { addPageOptions, choice, isJson, type PageOptions } from './options.ts';
import { addressLine } from './order-view.ts';

type Customer = Schemas['CustomerRecord'];
type CustomerDetails = Schemas['CustomerDetails'];

const SORTS = ['newest', 'oldest', 'email_asc', 'email_desc'] as const;

interface ListOptions extends PageOptions {
  q?: string;
  account?: boolean;
  sort?: (typeof SORTS)[number];
}

const LIST_EXAMPLES = `
Examples:
  $ commerce customers list --q okafor
  $ commerce customers list --account --sort email_asc
  $ commerce customers list --json | jq -r '.customers[].email'`;

const GET_EXAMPLES = `
CUSTOMER is an e-mail or an id.

Examples:
  $ commerce customers get june@example.com
  $ commerce orders list --customer june@example.com`;

/** `customers list|get|create|update|anonymize|orders|export|import`. */
export function addCustomers(program: Command, terminal: Terminal): void {
  const customers = program.command('customers').description('The people who buy, with or without an account.');
  const list = calls(customers.command('list'), 'dashboard.listCustomers')
    .description('List customers, newest first unless --sort says otherwise.')
    .option('--q <text>', 'search e-mails, names and phone numbers')
    .option('--account', 'only customers with a password to log in with')
    .option('--no-account', 'only customers without one')
    .addOption(choice('--sort <order>', 'the order', SORTS))
    .addHelpText('after', LIST_EXAMPLES);
  addPageOptions(list).action((options: ListOptions, command: Command) => listCustomers(options, command, terminal));
  calls(customers.command('get <customer>'), 'dashboard.getCustomer')
    .description('Show one customer with the address book.')
    .addHelpText('after', GET_EXAMPLES)
    .action((wanted: string, _options, command: Command) => getCustomer(wanted, command, terminal));
  addCustomerWrites(customers, terminal);
  addCustomersExport(customers, terminal);
  addCustomersImport(customers, terminal);
}

const COLUMNS: Column<Customer>[] = [
  { title: 'E-MAIL', value: ({ email }) => email, shrinks: true },
  { title: 'NAME', value: (customer) => nameOf(customer), shrinks: true },
  { title: 'ACCOUNT', value: accountOf, colour: (customer) => (customer.anonymized_at ? 'dim' : undefined) },
  { title: 'ORDERS', value: ({ orders_count }) => orders_count, right: true },
  { title: 'SPENT', value: ({ total_spent }) => total_spent, right: true },
  { title: 'SINCE', value: ({ created_at }) => moment(created_at), below: true },
  { title: 'ID', value: ({ id }) => id, below: true },
];

function nameOf({ first_name, last_name }: Customer): string | null {
  return [first_name, last_name].filter(Boolean).join(' ') || null;
}

function accountOf({ has_account, email_verified_at, anonymized_at }: Customer): string {
  if (anonymized_at) return 'anonymised';
  if (!has_account) return 'none';
  return email_verified_at ? 'yes' : 'not verified';
}

async function listCustomers(options: ListOptions, command: Command, terminal: Terminal): Promise<void> {
  const { account: has_account, ...rest } = options;
  const { client } = await openSession(command, terminal);
  const query = { ...rest, has_account };
  const page = await unwrap(client.GET('/api/dashboard/customers', { params: { query } }));
  show(terminal, isJson(command), page, (paint) => {
    const summary = pageLine('customers', page);
    if (page.customers.length === 0) return summary;
    return `${table(COLUMNS, page.customers, styleOf(terminal, paint))}\n\n${summary}`;
  });
}

async function getCustomer(wanted: string, command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  const customer_id = await customerIdOf(client, wanted);
  const call = client.GET('/api/dashboard/customers/{customer_id}', { params: { path: { customer_id } } });
  const customer = await unwrap(call);
  show(terminal, isJson(command), customer, (paint) => details(customer, paint));
}

function details(customer: CustomerDetails, paint: Paint): string {
  const { email, pending_email, phone, email_verified_at, note, metadata, orders_count, total_spent } = customer;
  const addresses = customer.addresses.map((address, at) => {
    const title = customer.addresses.length > 1 ? `Address ${at + 1}` : 'Address';
    return [title, `${addressLine(address) ?? '–'}${address.is_default ? ' (default)' : ''}`];
  });
  return facts(
    {
      'E-mail': email,
      ...(pending_email && { 'Not yet confirmed': pending_email }),
      ...{ Name: nameOf(customer), Phone: phone, Account: accountOf(customer) },
      Verified: moment(email_verified_at, 'not'),
      Newsletter: newsletterOf(customer),
      ...{ Orders: orders_count, Spent: total_spent },
      ...Object.fromEntries(addresses),
      Note: note ?? undefined,
      Metadata:
        Object.entries(metadata)
          .map(([key, value]) => `${key}: ${value}`)
          .join(', ') || undefined,
      ...{ Since: moment(customer.created_at), Id: customer.id },
    },
    paint,
  );
}

/** Whether the customer agreed to mails about offers, and when, where and to what wording they last did. */
function newsletterOf({ marketing_opt_in, marketing_consents: [newest] }: CustomerDetails): string {
  const holds = marketing_opt_in ? 'yes' : 'no';
  if (!newest || newest.granted !== marketing_opt_in) return holds;
  const { recorded_at, source, wording } = newest;
  const words = wording ? ` (“${wording}”)` : '';
  return `${holds}, since ${moment(recorded_at)}, by ${source}${words}`;
}
