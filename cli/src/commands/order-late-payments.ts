import { unwrap } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { usageError } from '../errors.ts';
import { addFlags, givenRequest, type Presentations } from '../flags.ts';
import { confirm } from '../prompt.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { addYes, amount, type YesOption } from './options.ts';
import { headOf, showChange } from './order-change.ts';
import { findOrder } from './order-view.ts';

interface RecordOptions extends YesOption {
  amount?: string;
}

const RECORD_EXAMPLES = `
ORDER is an order number or an id of an order that is on payment terms, awaits a bank transfer, has an amount due after an edit, or
has expired. An unpaid order becomes paid once nothing is due. An expired order stays expired until you reinstate it; all that was
recorded can be refunded. The command asks first; programs agree with --yes.

Examples:
  $ commerce orders record-payment 1001
  $ commerce orders record-payment 1001 --amount 35.82 --received 2026-03-12 --reference "NTRF 4711"`;

const REINSTATE_EXAMPLES = `
ORDER is an order number or an id of an order that has expired, and whose money is recorded. It becomes paid, and its stock and
discount code are taken again. If that is not possible, refund the money. The command asks first; programs agree with --yes.

Examples:
  $ commerce orders reinstate 1001
  $ commerce orders reinstate 1001 --keep-prices   although products have other prices by now`;

/** The amount has its own option, because its default is the amount due, or the total of an expired order. */
const SHOWN = { amount: false, entry: false, method: { help: 'how it arrived; bank_transfer when absent' } } as const;

const REINSTATE_FLAGS: Presentations<'dashboard.reinstateOrder'> = {
  keep_prices: { sets: [{ flag: '--keep-prices', help: 'even if products have other prices by now', value: true }] },
};

/**
 * `orders record-payment|reinstate`: record a payment, and reinstate an expired order whose payment arrived too late.
 */
export function addLatePayments(orders: Command, terminal: Terminal): void {
  addYes(addFlags(orders.command('record-payment <order>'), 'dashboard.recordOrderPayment', SHOWN))
    .description('Record money that arrived for an order, in parts or after it had expired.')
    .option(
      '--amount <amount>',
      'the amount that arrived (default: what is due, or the total of an expired order)',
      amount,
    )
    .addHelpText('after', RECORD_EXAMPLES)
    .action((wanted: string, options: RecordOptions, command: Command) => record(wanted, options, command, terminal));
  addYes(addFlags(orders.command('reinstate <order>'), 'dashboard.reinstateOrder', REINSTATE_FLAGS))
    .description('Make an expired order paid and confirmed, once its money is recorded.')
    .addHelpText('after', REINSTATE_EXAMPLES)
    .action((wanted: string, options: YesOption, command: Command) => reinstate(wanted, options, command, terminal));
}

async function record(wanted: string, options: RecordOptions, command: Command, terminal: Terminal): Promise<void> {
  const given = await givenRequest<'dashboard.recordOrderPayment'>(command, terminal);
  const { client } = await openSession(command, terminal);
  const before = await findOrder(client, wanted);
  const isLate = before.payment_status === 'expired';
  const { amount = isLate ? before.total : before.amount_due } = options;
  if (Number(amount) === 0)
    throw usageError('Nothing is due for the order.', 'Give the amount that arrived: --amount 5.00');
  if (!options.yes) await confirm(terminal, `${headOf(before)}\nHave ${amount} ${before.currency} arrived for it?`);
  const params = { path: { order_id: before.id } };
  const body = { ...given.body, amount };
  const { order, payment } = await unwrap(client.POST('/api/dashboard/orders/{order_id}/payments', { params, body }));
  const { order_number, refundable, amount_due, refund_due, currency } = order;
  const late = `${refundable} ${currency} were received and not refunded.
Then: commerce orders reinstate ${order_number}
  or: commerce orders refund ${order_number} --all --reason other`;
  const due = `${amount_due} ${currency} are still due.`;
  const owed = `Refund it: commerce orders refund ${order_number} --amount ${refund_due} --reason other`;
  const next = isLate ? late : Number(refund_due) > 0 ? owed : due;
  const summary = `has a recorded payment of ${payment.amount} ${currency}`;
  showChange({ before, order, summary, next, more: { payment } }, command, terminal);
}

async function reinstate(wanted: string, { yes }: YesOption, command: Command, terminal: Terminal): Promise<void> {
  const { body } = await givenRequest<'dashboard.reinstateOrder'>(command, terminal);
  const { client } = await openSession(command, terminal);
  const before = await findOrder(client, wanted);
  if (!yes) await confirm(terminal, `${headOf(before)}\nReinstate the order?`);
  const params = { path: { order_id: before.id } };
  const order = await unwrap(client.POST('/api/dashboard/orders/{order_id}/reinstate', { params, body }));
  showChange({ before, order, summary: 'is reinstated' }, command, terminal);
}
