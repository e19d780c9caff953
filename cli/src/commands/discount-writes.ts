import { type Command, InvalidArgumentError } from 'commander';
import { addCall } from '../call-command.ts';
import { usageError } from '../errors.ts';
import { nameFlags } from '../flags.ts';
import type { Terminal } from '../terminal.ts';
import { discountText } from './discount-view.ts';
import { amount } from './options.ts';

interface KindOptions {
  percentage?: string;
  amount?: string;
  freeShipping?: true;
  input?: string;
}

const CREATE_EXAMPLES = `
A day without a time is its beginning for --starts and its end for --ends, in your zone.

Examples:
  $ commerce discounts create WELCOME10 --percentage 10 --minimum-subtotal 20 --usage-limit-per-customer 1
  $ commerce discounts create FIVEOFF --amount 5.00 --ends 2026-12-31 --usage-limit 500
  $ commerce discounts create FREESHIP --free-shipping`;

const UPDATE_EXAMPLES = `
DISCOUNT is a code or an id. Fields without an option stay as they are; "none" removes a condition. Carts with the code
change at once, orders never.

Examples:
  $ commerce discounts update WELCOME10 --value 15 --ends none
  $ commerce discounts update WELCOME10 --disable`;

const DELETE_EXAMPLES = `
DISCOUNT is a code or an id. A code that is on a cart or was redeemed must be kept: disable it instead. The
command asks first; programs agree with --yes.

Examples:
  $ commerce discounts delete WELCOME10
  $ commerce discounts update WELCOME10 --disable`;

/** Adds `discounts create|update|delete`. */
export function addDiscountWrites(discounts: Command, terminal: Terminal): void {
  const create = addCall(discounts, terminal, {
    name: 'create <code>',
    operation: 'dashboard.createDiscount',
    description: 'Create a discount code for a percentage, an amount or free shipping.',
    examples: CREATE_EXAMPLES,
    // One flag for each kind sets `kind` and `value` together.
    flags: {
      kind: false,
      value: false,
      active: { sets: [{ flag: '--disabled', help: 'disabled for now', value: false }] },
    },
    body: kindOf,
    text: discountText,
  });
  nameFlags(create, { value: '--percentage or --amount' })
    .option('--percentage <percent>', 'the percentage to take off, such as 12.5', percent)
    .option('--amount <amount>', 'the amount of the discount', amount)
    .option('--free-shipping', 'makes shipping free');
  addCall(discounts, terminal, {
    name: 'update <discount>',
    operation: 'dashboard.updateDiscount',
    description: 'Change a discount.',
    examples: UPDATE_EXAMPLES,
    flags: {
      active: {
        sets: [
          { flag: '--enable', help: 'enable it', value: true },
          { flag: '--disable', help: 'disable it', value: false },
        ],
      },
    },
    text: discountText,
  });
  addCall(discounts, terminal, {
    name: 'delete <discount>',
    operation: 'dashboard.deleteDiscount',
    description: 'Delete a code that no cart uses and that was never redeemed.',
    examples: DELETE_EXAMPLES,
    asks: (wanted) => `Delete the discount ${wanted}?`,
    text: (_deletion, { named }) => `Deleted: ${named}.`,
  });
}

function percent(text: string): string {
  if (!/^\d{1,3}(?:\.\d{1,2})?$/.test(text)) throw new InvalidArgumentError('Give a percentage, such as 10 or 12.5.');
  return text;
}

function kindOf({ percentage, amount: off, freeShipping, input }: KindOptions) {
  const kinds = [
    ...(percentage === undefined ? [] : [{ kind: 'percentage' as const, value: percentage }]),
    ...(off === undefined ? [] : [{ kind: 'fixed_amount' as const, value: off }]),
    ...(freeShipping ? [{ kind: 'free_shipping' as const }] : []),
  ];
  const [kind] = kinds;
  if (!kind && input !== undefined) return {};
  if (!kind || kinds.length > 1) throw usageError('Give one of --percentage, --amount and --free-shipping.');
  return kind;
}
