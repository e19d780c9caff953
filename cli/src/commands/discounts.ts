import { type Schemas, unwrap } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { calls } from '../operations.ts';
import { type Column, moment, pageLine, show, styleOf, table } from '../output.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { discountIdOf, discountText, ofLimit, takesOff } from './discount-view.ts';
import { addDiscountWrites } from './discount-writes.ts';
import { addPageOptions, choice, isJson, type PageOptions, wholeNumber } from './options.ts';

type Discount = Schemas['Discount'];
type Redemption = Schemas['DiscountRedemption'];

const STATUSES = ['active', 'scheduled', 'expired', 'exhausted', 'disabled'] as const;
const REDEMPTION_STATUSES = ['reserved', 'redeemed', 'released'] as const;

interface ListOptions extends PageOptions {
  q?: string;
  status?: (typeof STATUSES)[number];
}

interface RedemptionOptions {
  status?: (typeof REDEMPTION_STATUSES)[number];
  limit?: number;
  cursor?: string;
}

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

/** `discounts list|get|create|update|delete|redemptions`. */
export function addDiscounts(program: Command, terminal: Terminal): void {
  const discounts = program.command('discounts').description('The codes that make a cart cheaper.');
  const list = calls(discounts.command('list'), 'dashboard.listDiscounts')
    .description('List discount codes, newest first.')
    .option('--q <text>', 'only those with this text in the code')
    .addOption(choice('--status <status>', 'only codes of this status', STATUSES))
    .addHelpText('after', LIST_EXAMPLES);
  addPageOptions(list).action((options: ListOptions, command: Command) => listDiscounts(options, command, terminal));
  calls(discounts.command('get <discount>'), 'dashboard.getDiscount')
    .description('Show one discount with its conditions, and how often it was used.')
    .addHelpText('after', GET_EXAMPLES)
    .action((wanted: string, _options, command: Command) => getDiscount(wanted, command, terminal));
  calls(discounts.command('redemptions <discount>'), 'dashboard.listDiscountRedemptions')
    .description('List the uses of a code, newest first.')
    .addOption(choice('--status <status>', 'only uses of this status', REDEMPTION_STATUSES))
    .option('--limit <number>', 'how many, at most 100 (default: 20)', wholeNumber)
    .option('--cursor <cursor>', 'go on from where a list ended')
    .addHelpText('after', REDEMPTION_EXAMPLES)
    .action((wanted: string, options: RedemptionOptions, command: Command) =>
      redemptions(wanted, options, command, terminal),
    );
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

async function listDiscounts(query: ListOptions, command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  const page = await unwrap(client.GET('/api/dashboard/discounts', { params: { query } }));
  show(terminal, isJson(command), page, (paint) => {
    const summary = pageLine('discounts', page);
    if (page.discounts.length === 0) return summary;
    return `${table(COLUMNS, page.discounts, styleOf(terminal, paint))}\n\n${summary}`;
  });
}

async function getDiscount(wanted: string, command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  const discount_id = await discountIdOf(client, wanted);
  const call = client.GET('/api/dashboard/discounts/{discount_id}', { params: { path: { discount_id } } });
  const discount = await unwrap(call);
  show(terminal, isJson(command), discount, (paint) => discountText(discount, paint));
}

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

async function redemptions(wanted: string, query: RedemptionOptions, command: Command, terminal: Terminal) {
  const { client } = await openSession(command, terminal);
  const params = { path: { discount_id: await discountIdOf(client, wanted) }, query };
  const page = await unwrap(client.GET('/api/dashboard/discounts/{discount_id}/redemptions', { params }));
  show(terminal, isJson(command), page, (paint) => {
    if (page.redemptions.length === 0) return 'No redemptions.';
    const more = page.next_cursor ? `\n\nNext: --cursor ${page.next_cursor}` : '';
    return `${table(REDEMPTION_COLUMNS, page.redemptions, styleOf(terminal, paint))}${more}`;
  });
}
