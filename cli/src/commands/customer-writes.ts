import type { Command } from 'commander';
import { addCall, pageText } from '../call-command.ts';
import { plain } from '../output.ts';
import type { Terminal } from '../terminal.ts';
import { ORDER_COLUMNS } from './order-view.ts';

const EXAMPLES = `
CUSTOMER is an e-mail or an id. Fields without an option stay as they are; "none" removes a value.

Examples:
  $ commerce customers create june@example.com --first-name June --last-name Okafor
  $ commerce customers update june@example.com --note "Prefers to be called" --phone "+49 30 1234567"
  $ commerce customers orders june@example.com`;

const ANONYMIZE_EXAMPLES = `
CUSTOMER is an e-mail or an id. Name, addresses, e-mail and phone are erased from the customer and from its orders, and sessions
and agents end. This cannot be undone. The command asks first; programs agree with --yes.

Examples:
  $ commerce customers anonymize june@example.com`;

/** Adds `customers create|update|anonymize|orders`. */
export function addCustomerWrites(customers: Command, terminal: Terminal): void {
  addCall(customers, terminal, {
    name: 'create <email>',
    operation: 'dashboard.createCustomer',
    description: 'Create a customer without an account.',
    examples: EXAMPLES,
    text: ({ email, id }) => plain(`Made: ${email}, ${id}.`),
  });
  addCall(customers, terminal, {
    name: 'update <customer>',
    operation: 'dashboard.updateCustomer',
    description: 'Change a customer.',
    examples: EXAMPLES,
    text: ({ email }) => plain(`Changed: ${email}.`),
  });
  addCall(customers, terminal, {
    name: 'anonymize <customer>',
    operation: 'dashboard.anonymizeCustomer',
    description: "Erase a customer's personal data. Orders are kept for accounting.",
    examples: ANONYMIZE_EXAMPLES,
    asks: (wanted) => `Erase the personal data of ${wanted}? This cannot be undone.`,
    text: (_customer, { named }) => plain(`Anonymised: ${named}.`),
  });
  addCall(customers, terminal, {
    name: 'orders <customer>',
    operation: 'dashboard.listOrdersOfCustomer',
    description: 'List the orders of a customer, newest first.',
    examples: EXAMPLES,
    text: (page, view) => pageText('orders', ORDER_COLUMNS, page.orders, page, view),
  });
}
