import { unwrap } from '@commerce-backend/sdk';
import { type Command, InvalidArgumentError } from 'commander';
import { usageError } from '../errors.ts';
import { nameFlags } from '../flags.ts';
import { calls } from '../operations.ts';
import { plain, show } from '../output.ts';
import { confirm } from '../prompt.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { discountIdOf, discountText } from './discount-view.ts';
import {
  addYes,
  amount,
  isEmpty,
  isJson,
  listOf,
  type OrNone,
  orNone,
  orNull,
  repeated,
  since,
  until,
  wholeNumber,
  type YesOption,
} from './options.ts';

interface Terms {
  description?: OrNone<string>;
  starts?: OrNone<string>;
  ends?: OrNone<string>;
  minimumSubtotal?: OrNone<string>;
  minimumQuantity?: OrNone<number>;
  product?: string[];
  collection?: string[];
  usageLimit?: OrNone<number>;
  usageLimitPerCustomer?: OrNone<number>;
}

interface CreateOptions extends Terms {
  percentage?: string;
  amount?: string;
  freeShipping?: true;
  disabled?: true;
}

interface UpdateOptions extends Terms {
  code?: string;
  value?: string;
  enable?: true;
  disable?: true;
}

const CREATE_EXAMPLES = `
A day without a time is its beginning for --starts and its end for --ends, in your zone.

Examples:
  $ commerce discounts create WELCOME10 --percentage 10 --minimum-subtotal 20 --usage-limit-per-customer 1
  $ commerce discounts create FIVEOFF --amount 5.00 --ends 2026-12-31 --usage-limit 500
  $ commerce discounts create FREESHIP --free-shipping`;

const UPDATE_EXAMPLES = `
DISCOUNT is a code or an id. What is not named stays; "none" takes a condition away. Carts with the code follow at once,
orders never.

Examples:
  $ commerce discounts update WELCOME10 --value 15 --ends none
  $ commerce discounts update WELCOME10 --disable`;

const DELETE_EXAMPLES = `
DISCOUNT is a code or an id. A code that is on a cart or was redeemed stays for the books: disable it instead. The
command asks first; programs agree with --yes.

Examples:
  $ commerce discounts delete WELCOME10
  $ commerce discounts update WELCOME10 --disable`;

/** `discounts create|update|delete`. */
export function addDiscountWrites(discounts: Command, terminal: Terminal): void {
  const create = calls(discounts.command('create <code>'), 'dashboard.createDiscount')
    .description('Make a discount code that takes off a share, an amount or the shipping cost.')
    .option('--percentage <percent>', 'the percentage to take off, such as 12.5', percent)
    .option('--amount <amount>', 'the amount to take off', amount)
    .option('--free-shipping', 'makes shipping free')
    .option('--disabled', 'disabled for now');
  nameFlags(addTerms(create), { code: 'CODE', value: '--percentage or --amount', active: '--disabled' })
    .addHelpText('after', CREATE_EXAMPLES)
    .action((code: string, options: CreateOptions, command: Command) => createOne(code, options, command, terminal));
  const update = calls(discounts.command('update <discount>'), 'dashboard.updateDiscount')
    .description('Change a discount.')
    .option('--code <code>', 'its new code')
    .option('--value <number>', 'what it takes off from now on', amount)
    .option('--enable', 'enable it')
    .option('--disable', 'disable it');
  addTerms(update)
    .addHelpText('after', UPDATE_EXAMPLES)
    .action((wanted: string, options: UpdateOptions, command: Command) => change(wanted, options, command, terminal));
  addYes(calls(discounts.command('delete <discount>'), 'dashboard.deleteDiscount'))
    .description('Delete a code that no cart has and that was never redeemed.')
    .addHelpText('after', DELETE_EXAMPLES)
    .action((wanted: string, options: YesOption, command: Command) => remove(wanted, options, command, terminal));
}

function percent(text: string): string {
  if (!/^\d{1,3}(?:\.\d{1,2})?$/.test(text)) throw new InvalidArgumentError('Give a percentage, such as 10 or 12.5.');
  return text;
}

/** Where the server's names of the fields are not those of the options. */
const FLAGS = {
  starts_at: '--starts',
  ends_at: '--ends',
  product_ids: '--product',
  collection_ids: '--collection',
};

function addTerms(command: Command): Command {
  return nameFlags(command, FLAGS)
    .option('--description <text>', 'a remark for staff', orNone(String))
    .option('--starts <when>', 'from when on: a day, or a moment', orNone(since))
    .option('--ends <when>', 'until when: a day, inclusive, or a date and time', orNone(until))
    .option('--minimum-subtotal <amount>', 'the minimum total of the cart', orNone(amount))
    .option('--minimum-quantity <number>', 'the minimum quantity in the cart', orNone(wholeNumber))
    .option('--product <id>', 'applies only to this product; may be repeated', repeated)
    .option('--collection <id>', 'applies only to this collection; may be repeated', repeated)
    .option('--usage-limit <number>', 'how often it can be used in total', orNone(wholeNumber))
    .option('--usage-limit-per-customer <number>', 'how often one customer can use it', orNone(wholeNumber));
}

/** The terms that were named, as the server takes them; the others are undefined, which JSON leaves out. */
function named(terms: Terms) {
  return {
    description: orNull(terms.description),
    starts_at: orNull(terms.starts),
    ends_at: orNull(terms.ends),
    minimum_subtotal: orNull(terms.minimumSubtotal),
    minimum_quantity: orNull(terms.minimumQuantity),
    product_ids: listOf(terms.product),
    collection_ids: listOf(terms.collection),
    usage_limit: orNull(terms.usageLimit),
    usage_limit_per_customer: orNull(terms.usageLimitPerCustomer),
  };
}

function kindOf({ percentage, amount: off, freeShipping }: CreateOptions) {
  const kinds = [
    ...(percentage === undefined ? [] : [{ kind: 'percentage' as const, value: percentage }]),
    ...(off === undefined ? [] : [{ kind: 'fixed_amount' as const, value: off }]),
    ...(freeShipping ? [{ kind: 'free_shipping' as const }] : []),
  ];
  const [kind] = kinds;
  if (!kind || kinds.length > 1) throw usageError('Give one of --percentage, --amount and --free-shipping.');
  return kind;
}

async function createOne(code: string, options: CreateOptions, command: Command, terminal: Terminal): Promise<void> {
  const body = { code, ...kindOf(options), ...named(options), ...(options.disabled && { active: false }) };
  const { client } = await openSession(command, terminal);
  const discount = await unwrap(client.POST('/api/dashboard/discounts', { body }));
  show(terminal, isJson(command), discount, (paint) => discountText(discount, paint));
}

async function change(wanted: string, options: UpdateOptions, command: Command, terminal: Terminal): Promise<void> {
  const { code, value, enable, disable } = options;
  if (enable && disable) throw usageError('Give either --enable or --disable.');
  const active = enable ? true : disable ? false : undefined;
  const body = { ...named(options), code, value, active };
  if (isEmpty(body)) throw usageError('Give at least one change.', 'See what there is: add --help');
  const { client } = await openSession(command, terminal);
  const params = { path: { discount_id: await discountIdOf(client, wanted) } };
  const discount = await unwrap(client.PATCH('/api/dashboard/discounts/{discount_id}', { params, body }));
  show(terminal, isJson(command), discount, (paint) => discountText(discount, paint));
}

async function remove(wanted: string, { yes }: YesOption, command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  const params = { path: { discount_id: await discountIdOf(client, wanted) } };
  if (!yes) await confirm(terminal, plain(`Delete the discount ${wanted}?`));
  const deletion = await unwrap(client.DELETE('/api/dashboard/discounts/{discount_id}', { params }));
  show(terminal, isJson(command), deletion, () => `Deleted: ${wanted}.`);
}
