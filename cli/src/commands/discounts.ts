import type { Schemas } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { addCall, cursorText, pageText } from '../call-command.ts';
import { type Column, moment } from '../output.ts';
import type { Terminal } from '../terminal.ts';
import { discountText, ofLimit, takesOff } from './discount-view.ts';
import { addDiscountWrites } from './discount-writes.ts';

type Discount = Schemas['Discount'];
type Redemption = Schemas['DiscountRedemption'];

const LIST_EXAMPLES = `
Examples:
  $ commerce discounts list
  $ commerce discounts list --status active --q SPRING`;

const GET_EXAMPLES = `
DISCOUNT is a code or an id.

Examples:
  $ commerce discounts get WELCOME10`;

const REDEMPTION_EXAMPLES = `
DISCOUNT is a code or an id.

Examples:
  $ commerce discounts redemptions WELCOME10
  $ commerce discounts redemptions WELCOME10 --status redeemed --json`;

/** Adds `discounts` with its subcommands. */
export function addDiscounts(program: Command, terminal: Terminal): void {
  const discounts = program.command('discounts').description('Codes that reduce the price of a cart.');
  addCall(discounts, terminal, {
    name: 'list',
    operation: 'dashboard.listDiscounts',
    flags: { q: { help: 'only those with this text in the code' } },
    description: 'List discount codes, newest first.',
    examples: LIST_EXAMPLES,
    text: (page, view) => pageText('discounts', COLUMNS, page.discounts, page, view),
  });
  addCall(discounts, terminal, {
    name: 'get <discount>',
    operation: 'dashboard.getDiscount',
    description: 'Show one discount with its conditions and usage.',
    examples: GET_EXAMPLES,
    text: discountText,
  });
  addCall(discounts, terminal, {
    name: 'redemptions <discount>',
    operation: 'dashboard.listDiscountRedemptions',
    description: 'List the redemptions of a code, newest first.',
    examples: REDEMPTION_EXAMPLES,
    text: (page, view) => cursorText('No redemptions.', REDEMPTION_COLUMNS, page.redemptions, page, view),
  });
  addDiscountWrites(discounts, terminal);
}

const COLUMNS: Column<Discount>[] = [
  { title: 'CODE', value: ({ code }) => code, shrinks: true },
  { title: 'TAKES OFF', value: takesOff, right: true },
  {
    title: 'STATUS',
    value: ({ status }) => status,
    colour: ({ status }) => (status === 'active' ? 'green' : 'dim'),
  },
  { title: 'USED', value: ({ usage_count, usage_limit }) => ofLimit(usage_count, usage_limit), right: true },
  { title: 'FROM', value: ({ minimum_subtotal }) => minimum_subtotal, right: true },
  { title: 'ENDS', value: ({ ends_at }) => moment(ends_at, 'never') },
  { title: 'ID', value: ({ id }) => id, below: true },
];

const REDEMPTION_COLUMNS: Column<Redemption>[] = [
  { title: 'WHEN', value: ({ updated_at }) => moment(updated_at) },
  {
    title: 'STATUS',
    value: ({ status }) => status,
    colour: ({ status }) => REDEMPTION_COLOURS[status],
  },
  { title: 'TOOK OFF', value: ({ amount_off }) => amount_off, right: true },
  { title: 'CURRENCY', value: ({ currency }) => currency, below: true },
  { title: 'E-MAIL', value: ({ email }) => email, shrinks: true },
  { title: 'ORDER ID', value: ({ order_id }) => order_id, below: true },
  { title: 'CART ID', value: ({ cart_id }) => cart_id, below: true },
];

const REDEMPTION_COLOURS: Record<string, 'green' | 'dim'> = { redeemed: 'green', released: 'dim' };
