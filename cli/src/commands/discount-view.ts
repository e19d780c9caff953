import { type DashboardClient, paginate, type Schemas } from '@commerce-backend/sdk';
import { CommandError, EXIT } from '../errors.ts';
import { facts, moment, type Paint } from '../output.ts';
import { isUuid } from './options.ts';

type Discount = Schemas['Discount'];

/** Finds a discount by its id or its code, ignoring case. Returns its id. */
export async function discountIdOf(client: DashboardClient, wanted: string): Promise<string> {
  if (isUuid(wanted)) return wanted;
  const params = { query: { q: wanted } };
  for await (const { id, code } of paginate(client, '/api/dashboard/discounts', { params })) {
    if (code.toLowerCase() === wanted.toLowerCase()) return id;
  }
  const remedy = 'List them: commerce discounts list';
  throw new CommandError(EXIT.refused, 'not_found', `There is no discount code "${wanted}".`, remedy);
}

/** Formats a discount with its conditions. */
export function discountText(discount: Discount, { paint }: { paint: Paint }): string {
  const { product_ids, collection_ids, minimum_subtotal, currency } = discount;
  const scope = [...count(product_ids, 'products'), ...count(collection_ids, 'collections')].join(' and ');
  return facts(
    {
      Code: discount.code,
      'Takes off': takesOff(discount),
      Status: discount.status,
      ...{ Starts: moment(discount.starts_at, 'at once'), Ends: moment(discount.ends_at, 'never') },
      'Applies to': scope || 'everything',
      'From subtotal': minimum_subtotal ? `${minimum_subtotal} ${currency}` : undefined,
      'From quantity': discount.minimum_quantity ?? undefined,
      Used: ofLimit(discount.usage_count, discount.usage_limit),
      'Per customer': discount.usage_limit_per_customer ?? 'without limit',
      Description: discount.description ?? undefined,
      Id: discount.id,
    },
    paint,
  );
}

function count(ids: string[], noun: string): string[] {
  return ids.length > 0 ? [`${ids.length} ${noun}`] : [];
}

/** Describes the reduction in a few words. */
export function takesOff({ kind, value, currency }: Discount): string {
  if (kind === 'percentage') return `${Number(value)} %`;
  return kind === 'free_shipping' ? 'shipping' : `${value} ${currency}`;
}

/** Formats the number of uses of a discount code, with its limit. */
export function ofLimit(count: number, limit: number | null): string {
  return limit === null ? String(count) : `${count} of ${limit}`;
}
