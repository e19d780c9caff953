import type { Return } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import type { Mails } from '../mail.ts';
import { policyOf } from '../returns/policy.ts';
import { get } from '../returns/rows.ts';
import type { MailContext } from './context.ts';
import { amountOf, itemOf, type Told } from './order-parts.ts';
import { aboutOrder } from './order-templates.ts';
import type { Part } from './parts.ts';
import type { MailContent } from './rendering.ts';

/** Writes the mail about a new status of a return; undefined if a later status has made the mail obsolete. */
export function returnChanged(
  context: MailContext,
  { order_id, return_id, status }: Mails['return_changed'],
): Promise<MailContent | undefined> {
  return aboutOrder(context, order_id, async (told) => {
    const found = await get(context.shop, return_id);
    if (status === 'requested' && found.status !== status) return undefined;
    if (status === 'approved' && found.status === 'cancelled') return undefined;
    const parts = await partsOf(told, found, status);
    if (!parts || status === 'in_transit') return undefined;
    const { number } = found;
    return {
      subject: told.language.say(`returns.${status}_subject`, { number }),
      lead: parts,
      details: itemsOf(told, found),
    };
  });
}

async function partsOf(told: Told, found: Return, status: Return['status']): Promise<Part[] | undefined> {
  const { say } = told.language;
  switch (status) {
    case 'requested':
    case 'received':
    case 'cancelled':
      return [{ paragraph: say(`returns.${status}`) }];
    case 'approved':
      return found.keep_goods ? [{ paragraph: say('returns.approved_keep') }] : approval(told, found);
    case 'declined':
      return [{ paragraph: say('returns.declined') }, { paragraph: found.decline_reason ?? '' }];
    case 'closed': {
      const { close_reason, refund_ids, exchange_order_id } = found;
      if (exchange_order_id) return [{ paragraph: await exchangedWords(told, exchange_order_id) }];
      const hasRefund = close_reason === null || refund_ids.length > 0;
      const first = { paragraph: say(hasRefund ? 'returns.closed' : 'returns.closed_without') };
      return close_reason === null ? [first] : [first, { paragraph: close_reason }];
    }
    default:
      return undefined;
  }
}

async function exchangedWords({ context: { shop }, language }: Told, id: string): Promise<string> {
  const found = await shop.one<RowOf<'orders', 'order_number'>>(
    sql`select order_number from orders where site_id = ${shop.siteId} and id = ${id}`,
  );
  return language.say('returns.closed_exchange', { number: found?.order_number ?? '' });
}

/** Explains how to send the goods back: address, label and instructions. */
async function approval(told: Told, { number, fee, shipping }: Return): Promise<Part[]> {
  const { say } = told.language;
  const { return_address, instructions } = await policyOf(told.context.shop);
  const lines = return_address?.split('\n').filter((line) => line.trim()) ?? [];
  return [
    { paragraph: say('returns.approved') },
    { paragraph: say('returns.mention', { number }) },
    ...(lines.length > 0 ? [{ heading: say('returns.address') }, { lines }] : []),
    ...(shipping.label_url ? [{ link: shipping.label_url, label: say('returns.label') }] : []),
    ...(instructions ? [{ paragraph: instructions }] : []),
    ...(/[1-9]/.test(fee) ? [{ paragraph: say('returns.fee', { amount: amountOf(told, fee) }) }] : []),
  ];
}

function itemsOf(told: Told, { number, lines }: Return): Part[] {
  const { say } = told.language;
  return [
    { heading: say('returns.items') },
    {
      facts: [
        [say('returns.number'), number],
        [say('mail.number'), told.order.order_number],
      ],
    },
    {
      items: lines.map(({ line_item_id, name, variant_name, quantity }) => {
        const image_url = told.order.line_items.find(({ id }) => id === line_item_id)?.image_url ?? null;
        return itemOf({ name, variant_name, image_url }, String(quantity), null);
      }),
    },
  ];
}
