import type { TaxLine } from '@commerce-backend/spec';
import sql, { type Sql } from 'sql-template-tag';
import { decimal, minorUnits } from '../money.ts';
import { STANDARD_CLASS } from '../totals.ts';

/** A line or the shipping cost of an order, with its tax. */
export interface TaxedPart {
  line_item_id: string | null;
  tax_class: string;
  rate: string;
  taxable_amount: string;
  tax: string;
}

/**
 * The lines of `orders o`, then the shipping cost, each with its tax. Before migration 0225, all shipping was taxed at
 * the standard rate.
 */
export const taxedParts: Sql = sql`(
  select coalesce(json_agg(json_build_object('line_item_id', t.id, 'tax_class', t.tax_class,
    'rate', trim_scale(t.tax_rate)::text, 'taxable_amount', t.taxable::text, 'tax', t.tax::text) order by t.place), '[]')
  from (
    select l.id, l.tax_class, l.tax_rate, l.total - l.discount as taxable, l.tax, l.position as place
    from order_lines l where l.site_id = o.site_id and l.order_id = o.id and l.tax_rate is not null and l.quantity > 0
    union all
    select null, s.tax_class, s.rate, s.taxable_amount, s.tax, 1000000
    from jsonb_to_recordset(o.shipping_taxes) as s (tax_class text, rate numeric, taxable_amount numeric, tax numeric)
    union all
    select null, ${STANDARD_CLASS}, o.shipping_tax_rate, o.shipping_cost, o.shipping_tax, 1000000
    where o.shipping_taxes is null and o.shipping_tax_rate is not null and o.shipping_cost > 0
  ) as t)`;

export function taxLinesOf(parts: TaxedPart[], digits: number): TaxLine[] {
  const groups = Map.groupBy(parts, ({ tax_class, rate }) => `${tax_class} ${rate}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const sum = (field: 'taxable_amount' | 'tax') =>
      decimal(
        group.reduce((total, part) => total + minorUnits(part[field], digits), 0),
        digits,
      );
    const listed = group.map(({ line_item_id, taxable_amount, tax }) => ({ line_item_id, taxable_amount, tax }));
    const { tax_class, rate } = first;
    return [{ tax_class, rate, taxable_amount: sum('taxable_amount'), tax: sum('tax'), parts: listed }];
  });
}
