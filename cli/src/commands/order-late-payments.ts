import { unwrap } from '@commerce-backend/sdk';
import type { Command } from 'commander';
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
ORDER is an order number or an id of an order that has expired, or that has an amount due after an edit. An expired order stays
expired until you reinstate it; all that was recorded can be refunded. The command asks first; programs agree with --yes.

Examples:
  $ commerce orders record-payment 1001
  $ commerce orders record-payment 1001 --amount 35.82 --received 2026-03-12 --reference "NTRF 4711"`;

const REINSTATE_EXAMPLES = `
ORDER is an order number or an id of an order that has expired, and whose money is recorded. It becomes paid, and its stock and
discount code are taken again. If that is not possible, refund the money. The command asks first; programs agree with --yes.

Examples:
  $ commerce orders reinstate 1001
  $ commerce orders reinstate 1001 --keep-prices   although products have other prices by now`;

const SHOWN = { amount: false, method: { help: 'how it arrived; bank_transfer when absent' } } as const;

const REINSTATE_FLAGS: Presentations<'dashboard.reinstateOrder'> = {
  keep_prices: { sets: [{ flag: '--keep-prices', help: 'even if products have other prices by now', value: true }] },
};

/** `orders record-payment|reinstate`: record a payment, and reinstate an order that it reached too late. */
export function addLatePayments(orders: Command, terminal: Terminal): void {
  addYes(addFlags(orders.command('record-payment <order>'), 'dashboard.recordOrderPayment', SHOWN))
    .description('Record money for an expired order, or for the amount due after an edit.')
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
  const isExpired = before.payment_status === 'expired';
  const { amount = isExpired ? before.total : before.amount_due } = options;
  if (!options.yes) await confirm(terminal, `${headOf(before)}\nHave ${amount} ${before.currency} arrived for it?`);
  const params = { path: { order_id: before.id } };
  const body = { ...given.body, amount };
  const { order, payment } = await unwrap(client.POST('/api/dashboard/orders/{order_id}/payments', { params, body }));
  const { order_number, refundable, currency } = order;
  const choice = `${refundable} ${currency} were received and not refunded.
Then: commerce orders reinstate ${order_number}
  or: commerce orders refund ${order_number} --all --reason other`;
  const next = isExpired ? choice : `${order.amount_due} ${currency} remain to be paid.`;
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
