import sql from 'sql-template-tag';
import type { Mails } from '../mail.ts';
import { decimal, minorUnits } from '../money.ts';
import type { MailContext } from './context.ts';
import { amountOf, contentOf, itemOf, type Told } from './order-parts.ts';
import { aboutOrder } from './order-templates.ts';
import type { Amount, Part } from './parts.ts';
import type { MailContent } from './rendering.ts';

interface Refunded {
  amount: string;
  shipping: string;
  by_provider: boolean;
  items: { line_id: string; quantity: number }[];
}

/** States the refunded amount, the way in which the money returns, the refunded items, and the rest of the payment. */
export function refunded(
  context: MailContext,
  { order_id, refund_id }: Mails['order_refunded'],
): Promise<MailContent | undefined> {
  return aboutOrder(context, order_id, async (told) => {
    const { say } = told.language;
    const refund = await context.shop.one<Refunded>(
      sql`select r.amount::text as amount, r.shipping::text as shipping, exists (
          select from payment_moves m where m.site_id = r.site_id and m.id = r.id) as by_provider, (
          select coalesce(json_agg(json_build_object('line_id', i.line_id, 'quantity', i.quantity) order by i.line_id), '[]')
          from refund_items i where i.site_id = r.site_id and i.refund_id = r.id) as items
        from refunds r
        where r.site_id = ${context.shop.siteId} and r.id = ${refund_id} and r.order_id = ${order_id}`,
    );
    if (!refund) return undefined;
    const { order_number: number, payment_method } = told.order;
    const amount = amountOf(told, refund.amount);
    const isCard = refund.by_provider || payment_method === 'card' || payment_method === 'online';
    return {
      subject: say('mail.refunded_subject', { amount, number }),
      lead: [
        { paragraph: say('mail.refunded', { amount, number }), in_text_only: true },
        { paragraph: say(`mail.refunded_${isCard ? 'card' : 'other'}`) },
      ],
      details: [...refundOf(told, refund), ...contentOf(told)],
    };
  });
}

/** Lists the refunded items, if the refund names them, and the rest of the payment. */
function refundOf(told: Told, { amount, shipping, items }: Refunded): Part[] {
  const { language, order, context } = told;
  const { say } = language;
  const digits = context.shop.currencyDigits;
  const money = (minor: number) => amountOf(told, decimal(minor, digits));
  const all = order.refunds.reduce((sum, refund) => sum + minorUnits(refund.amount, digits), 0);
  const others = all - minorUnits(amount, digits);
  const paid = minorUnits(order.amount_received, digits);
  const refundedItems = order.line_items.flatMap((line) => {
    const item = items.find(({ line_id }) => line_id === line.id);
    return item ? [itemOf(line, String(item.quantity), null)] : [];
  });
  const sum: Amount[] = [
    { name: say('mail.refund_paid'), amount: money(paid) },
    ...(others > 0 ? [{ name: say('mail.refund_others'), amount: `−${money(others)}` }] : []),
    { name: say('mail.refund_this'), amount: `−${amountOf(told, amount)}` },
    { name: say('mail.refund_left'), amount: money(paid - all), kind: 'total' },
    ...(minorUnits(shipping, digits) > 0
      ? [{ name: say('mail.refund_shipping'), amount: amountOf(told, shipping), kind: 'note' as const }]
      : []),
  ];
  const owed = minorUnits(order.refund_due, digits) > 0;
  return [
    { heading: say('mail.refund') },
    ...(refundedItems.length > 0 ? [{ items: refundedItems }] : []),
    ...(paid >= all ? [{ amounts: sum }] : []),
    ...(owed ? [{ paragraph: say('order.refund_due', { amount: amountOf(told, order.refund_due) }) }] : []),
  ];
}
