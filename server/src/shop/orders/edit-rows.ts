/** Reads an order, the added variants and the shop's terms for an edit. Amounts of lines are in minor units. */

import type { Address, ShippingChoice } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import { bodyMistake, ShopError, ValidationError } from '../errors.ts';
import { minorUnits } from '../money.ts';
import { type ActiveOption, activeOptions, isPaidOnReceipt } from '../shipping/choices.ts';
import type { Shop } from '../shop.ts';
import { type TaxSettings, taxTermsFor } from '../tax-rates.ts';
import { STANDARD_CLASS, type TaxTerms } from '../totals.ts';
import type { Line, Variant } from './edit-plan.ts';
import { paysOnReceipt } from './orders.ts';
import { unshipped } from './quantities.ts';

export type Before = RowOf<
  'orders',
  | 'subtotal'
  | 'discount'
  | 'shipping_cost'
  | 'tax'
  | 'tax_included'
  | 'total'
  | 'shipping_refunded'
  | 'shipping_method'
  | 'shipping_kind'
  | 'payment_method'
  | 'payment_status'
  | 'payment_terms_days'
> & {
  shipping_address: Address | null;
  billing_address: Address | null;
  /** The tax of the shipping cost; null if it is not known. */
  shipping_tax: string | null;
  shipping_rates: { tax_class: string; rate: string }[] | null;
  /** Whether the order's code makes shipping free. */
  free_shipping: boolean;
};

/** Reads a locked order. */
export async function readBefore(shop: Shop, order_id: string): Promise<Before> {
  const found = await shop.one<Before>(
    sql`select o.subtotal, o.discount, o.shipping_cost, o.tax, o.tax_included, o.total, o.shipping_refunded, o.shipping_method, o.shipping_kind,
        o.payment_method, o.payment_status, o.payment_terms_days, o.shipping_address, o.billing_address, coalesce(o.shipping_tax, (
          select sum(s.tax) from jsonb_to_recordset(o.shipping_taxes) as s (tax numeric)))::text as shipping_tax,
        o.shipping_taxes as shipping_rates, exists (
          select from discount_redemptions r join discounts d on d.site_id = r.site_id and d.id = r.discount_id
          where r.site_id = o.site_id and r.order_id = o.id and r.status = 'redeemed' and d.kind = 'free_shipping'
        ) as free_shipping
      from orders o where o.site_id = ${shop.siteId} and o.id = ${order_id}`,
  );
  if (!found) throw new Error(`Order ${order_id} was not found.`);
  return found;
}

type LineRow = RowOf<
  'order_lines',
  | 'id'
  | 'variant_id'
  | 'product_id'
  | 'quantity'
  | 'price'
  | 'total'
  | 'discount'
  | 'tax'
  | 'tax_class'
  | 'tax_rate'
  | 'stock_taken'
  | 'removed'
> & { fixed: number; tracked: boolean | null; requires_shipping: boolean };

/** The lines of a locked order. */
export async function readLines(shop: Shop, order_id: string): Promise<Line[]> {
  const rows = await shop.rows<LineRow>(
    sql`select l.id, l.variant_id, l.product_id, l.quantity, l.price, l.total, l.discount, l.tax, l.tax_class, l.tax_rate, l.stock_taken, l.removed,
        l.quantity - ${unshipped} + l.withheld as fixed,
        coalesce(v.track_inventory, case when l.custom_exempt is not null then false end) as tracked,
        l.requires_shipping and coalesce(v.requires_shipping, true) as requires_shipping
      from order_lines l left join variants v on v.site_id = l.site_id and v.id = l.variant_id
      where l.site_id = ${shop.siteId} and l.order_id = ${order_id} and l.quantity > 0 order by l.position, l.id`,
  );
  const minor = (amount: string) => minorUnits(amount, shop.currencyDigits);
  return rows.map(({ price, total, discount, tax, ...line }) => ({
    ...line,
    ...{ price: minor(price), total: minor(total), discount: minor(discount), tax: minor(tax) },
  }));
}

/** The variants to add, by id, at their current prices. */
export async function readVariants(shop: Shop, ids: string[]): Promise<Map<string, Variant>> {
  if (ids.length === 0) return new Map();
  type Row = RowOf<'variants', 'id' | 'product_id' | 'price' | 'requires_shipping'> & {
    tracked: boolean;
    tax_class: string;
  };
  const rows = await shop.rows<Row>(
    sql`select v.id, v.product_id, v.price, v.requires_shipping, v.track_inventory as tracked, p.tax_class
      from variants v join products p on p.site_id = v.site_id and p.id = v.product_id
      where v.site_id = ${shop.siteId} and v.id = any(${ids}::uuid[])`,
  );
  return new Map(rows.map((row) => [row.id, { ...row, price: minorUnits(row.price, shop.currencyDigits) }]));
}

/**
 * Returns the tax rates of the purchase. For tax classes that the order does not have, returns the current rates at its
 * destination.
 */
export async function taxTermsAtPurchase(shop: Shop, before: Before, lines: Line[]): Promise<TaxTerms> {
  const settings = await shop.one<TaxSettings>(
    sql`select prices_include_tax, trim_scale(default_tax_rate)::text as default_tax_rate, tax_rates, shipping_tax
      from site_settings where site_id = ${shop.siteId}`,
  );
  if (!settings) throw new Error(`Site ${shop.siteId} has no settings.`);
  const now = taxTermsFor(settings, before.shipping_address ?? before.billing_address);
  const known: Record<string, string> = {};
  for (const { tax_class, rate } of before.shipping_rates ?? []) known[tax_class] = rate;
  for (const { tax_class, tax_rate } of lines) if (tax_rate !== null) known[tax_class ?? STANDARD_CLASS] = tax_rate;
  const { [STANDARD_CLASS]: rate = now.rate, ...others } = known;
  return { ...now, rate, rates: { ...now.rates, ...others }, included: before.tax_included };
}

/**
 * Returns an active shipping option. Staff may choose any option, with two exceptions: an order without an address gets
 * no delivery, and an unpaid order that the customer pays on receipt gets no delivery without payment on delivery. If
 * the customer pays on receipt, the price includes the fee of payment on delivery. Throws `shipping_option_unavailable`
 * and a ValidationError.
 */
export async function readOption(
  shop: Shop,
  id: string,
  { shipping_address, free_shipping, payment_method, payment_status, payment_terms_days }: Before,
): Promise<Pick<ShippingChoice, 'name' | 'kind'> & { price: number }> {
  const found = await shop.one<{ options: ActiveOption[] }>(sql`select ${activeOptions(shop)} as options`);
  const option = found?.options.find((one) => one.id === id);
  if (!option || (option.kind === 'delivery' && shipping_address === null)) {
    const message = option ? 'The order has no delivery address.' : 'There is no active shipping option with this id.';
    throw new ShopError('shipping_option_unavailable', message);
  }
  const { name, kind, price, cash_on_delivery_fee } = option;
  const onReceipt = paysOnReceipt({ payment_method, payment_terms_days });
  if (onReceipt && payment_status === 'pending' && !isPaidOnReceipt(option)) {
    const message = 'The customer pays this order on receipt. Choose pickup, or delivery with payment on delivery.';
    throw new ValidationError([bodyMistake(['shipping_option_id'], 'value_error', message)]);
  }
  const minor = (amount: string) => minorUnits(amount, shop.currencyDigits);
  const fee = onReceipt ? minor(cash_on_delivery_fee ?? '0') : 0;
  return { name, kind, price: free_shipping ? 0 : minor(price) + fee };
}
