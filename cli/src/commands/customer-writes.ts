import { unwrap } from '@commerce-backend/sdk';
import type { CustomerInput, CustomerPatch } from '@commerce-backend/spec';
import type { Command } from 'commander';
import { addFields, type Field, givenBody, givenChange, metadata, optionalText } from '../fields.ts';
import { nameFlags } from '../flags.ts';
import { calls } from '../operations.ts';
import { pageLine, plain, show, styleOf, table } from '../output.ts';
import { confirm } from '../prompt.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { customerIdOf } from './customer-id.ts';
import { addPageOptions, addYes, isJson, type PageOptions, type YesOption } from './options.ts';
import { ORDER_COLUMNS } from './order-view.ts';

const EXAMPLES = `
CUSTOMER is an e-mail or an id. What is not named stays; "none" takes a value away.

Examples:
  $ commerce customers create june@example.com --first-name June --last-name Okafor
  $ commerce customers update june@example.com --note "Prefers to be called" --phone "+49 30 1234567"
  $ commerce customers orders june@example.com`;

const ANONYMIZE_EXAMPLES = `
CUSTOMER is an e-mail or an id. Name, addresses, e-mail and phone are erased from the customer and from its orders, sessions and
agents end, and nothing brings them back. The command asks first; programs agree with --yes.

Examples:
  $ commerce customers anonymize june@example.com`;

const BOTH: Field<keyof CustomerInput & keyof CustomerPatch>[] = [
  { flags: '--first-name <name>', field: 'first_name', help: 'the first name', read: optionalText },
  { flags: '--last-name <name>', field: 'last_name', help: 'the last name', read: optionalText },
  { flags: '--phone <number>', field: 'phone', help: 'the phone number', read: optionalText },
  { flags: '--note <text>', field: 'note', help: 'a remark for staff', read: optionalText },
  { flags: '--newsletter', field: 'marketing_opt_in', help: 'agreed to mails about offers' },
  { flags: '--no-newsletter', field: 'marketing_opt_in', help: 'does not want mails about offers' },
  {
    flags: '--metadata <key=value>',
    field: 'metadata',
    help: 'may be repeated, and replaces the rest',
    read: metadata,
  },
];

const CHANGE: Field<keyof CustomerPatch>[] = [
  { flags: '--email <address>', field: 'email', help: 'the new e-mail' },
  ...BOTH,
];

/** `customers create|update|anonymize|orders`. */
export function addCustomerWrites(customers: Command, terminal: Terminal): void {
  const create = calls(customers.command('create <email>'), 'dashboard.createCustomer');
  addFields(nameFlags(create, { email: 'EMAIL' }), BOTH)
    .description('Make a customer without an account.')
    .addHelpText('after', EXAMPLES)
    .action((email: string, _options, command: Command) => createOne(email, command, terminal));
  addFields(calls(customers.command('update <customer>'), 'dashboard.updateCustomer'), CHANGE)
    .description('Change a customer.')
    .addHelpText('after', EXAMPLES)
    .action((wanted: string, _options, command: Command) => change(wanted, command, terminal));
  addYes(calls(customers.command('anonymize <customer>'), 'dashboard.anonymizeCustomer'))
    .description('Erase who a customer is. Orders stay for the books.')
    .addHelpText('after', ANONYMIZE_EXAMPLES)
    .action((wanted: string, options: YesOption, command: Command) => anonymize(wanted, options, command, terminal));
  const orders = calls(customers.command('orders <customer>'), 'dashboard.listOrdersOfCustomer')
    .description('List the orders of a customer, newest first.')
    .addHelpText('after', EXAMPLES);
  addPageOptions(orders).action((wanted: string, query: PageOptions, command: Command) =>
    ordersOf(wanted, query, command, terminal),
  );
}

async function createOne(email: string, command: Command, terminal: Terminal): Promise<void> {
  const body = { ...(await givenBody<CustomerInput>(BOTH, command, terminal)), email };
  const { client } = await openSession(command, terminal);
  const customer = await unwrap(client.POST('/api/dashboard/customers', { body }));
  show(terminal, isJson(command), customer, () => plain(`Made: ${customer.email}, ${customer.id}.`));
}

async function change(wanted: string, command: Command, terminal: Terminal): Promise<void> {
  const body = await givenChange<CustomerPatch>(CHANGE, command, terminal);
  const { client } = await openSession(command, terminal);
  const params = { path: { customer_id: await customerIdOf(client, wanted) } };
  const customer = await unwrap(client.PATCH('/api/dashboard/customers/{customer_id}', { params, body }));
  show(terminal, isJson(command), customer, () => plain(`Changed: ${customer.email}.`));
}

async function anonymize(wanted: string, { yes }: YesOption, command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  const params = { path: { customer_id: await customerIdOf(client, wanted) } };
  if (!yes) await confirm(terminal, plain(`Erase who ${wanted} is? Nothing brings it back.`));
  const customer = await unwrap(client.POST('/api/dashboard/customers/{customer_id}/anonymize', { params }));
  show(terminal, isJson(command), customer, () => plain(`Anonymised: ${wanted}.`));
}

async function ordersOf(wanted: string, query: PageOptions, command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  const params = { path: { customer_id: await customerIdOf(client, wanted) }, query };
  const page = await unwrap(client.GET('/api/dashboard/customers/{customer_id}/orders', { params }));
  show(terminal, isJson(command), page, (paint) => {
    const summary = pageLine('orders', page);
    if (page.orders.length === 0) return summary;
    return `${table(ORDER_COLUMNS, page.orders, styleOf(terminal, paint))}\n\n${summary}`;
  });
}
