import type { Schemas } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { addCall, pageText, type View } from '../call-command.ts';
import { otherFacts } from '../other-facts.ts';
import { type Column, facts, moment } from '../output.ts';
import type { Terminal } from '../terminal.ts';
import { addCustomerWrites } from './customer-writes.ts';
import { addCustomersExport } from './customers-export.ts';
import { addCustomersImport } from './customers-import.ts';
import { addressLine } from './order-view.ts';

type Customer = Schemas['CustomerRecord'];
type CustomerDetails = Schemas['CustomerDetails'];

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

const GUEST_EXAMPLES = `
Examples:
  $ commerce customers guests --sort spent_desc
  $ commerce orders list --guest-email june@example.com`;

/** Adds `customers` with its subcommands. */
export function addCustomers(program: Command, terminal: Terminal): void {
  const customers = program.command('customers').description('The people who buy, with or without an account.');
  addCall(customers, terminal, {
    name: 'list',
    operation: 'dashboard.listCustomers',
    flags: {
      q: { help: 'search e-mails, names and phone numbers' },
      has_account: { help: 'only customers with a password to log in with' },
    },
    description: 'List customers, newest first by default.',
    examples: LIST_EXAMPLES,
    text: (page, view) => pageText('customers', COLUMNS, page.customers, page, view),
  });
  addCall(customers, terminal, {
    name: 'guests',
    operation: 'dashboard.listGuests',
    flags: { q: { help: 'search e-mails' } },
    description: 'List the e-mails of orders without an account, last order first by default.',
    examples: GUEST_EXAMPLES,
    text: (page, view) => pageText('guests', GUEST_COLUMNS, page.guests, page, view),
  });
  addCall(customers, terminal, {
    name: 'get <customer>',
    operation: 'dashboard.getCustomer',
    description: 'Show one customer with the address book.',
    examples: GET_EXAMPLES,
    text: details,
  });
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

const GUEST_COLUMNS: Column<Schemas['Guest']>[] = [
  { title: 'E-MAIL', value: ({ email }) => email, shrinks: true },
  { title: 'NAME', value: (guest) => nameOf(guest), shrinks: true },
  { title: 'ORDERS', value: ({ orders_count }) => orders_count, right: true },
  { title: 'SPENT', value: ({ total_spent }) => total_spent, right: true },
  { title: 'LAST ORDER', value: ({ last_order_at }) => moment(last_order_at), below: true },
];

function nameOf({ first_name, last_name }: Pick<Customer, 'first_name' | 'last_name'>): string | null {
  return [first_name, last_name].filter(Boolean).join(' ') || null;
}

function accountOf({ has_account, email_verified_at, anonymized_at }: Customer): string {
  if (anonymized_at) return 'anonymised';
  if (!has_account) return 'none';
  return email_verified_at ? 'yes' : 'not verified';
}

function details(customer: CustomerDetails, { paint }: View): string {
  const { email, pending_email, phone, email_verified_at, note, metadata, orders_count, total_spent, ...more } =
    customer;
  const { first_name: _first, last_name: _last, ...rest } = more;
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
      ...otherFacts('dashboard.updateCustomer', rest),
      Metadata:
        Object.entries(metadata)
          .map(([key, value]) => `${key}: ${value}`)
          .join(', ') || undefined,
      ...{ Since: moment(customer.created_at), Id: customer.id },
    },
    paint,
  );
}

/** Formats whether the customer agreed to marketing mails, with time, source and wording of the last decision. */
function newsletterOf({ marketing_opt_in, marketing_consents: [newest] }: CustomerDetails): string {
  const holds = marketing_opt_in ? 'yes' : 'no';
  if (!newest || newest.granted !== marketing_opt_in) return holds;
  const { recorded_at, source, wording } = newest;
  const words = wording ? ` (“${wording}”)` : '';
  return `${holds}, since ${moment(recorded_at)}, by ${source}${words}`;
}
