import type { DraftLineInput, ValidationErrorItem } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import { keptOfVariant } from '../carts/rows.ts';
import { bodyMistake, notFound, ValidationError } from '../errors.ts';
import { canonicalAmount } from '../money.ts';
import { normalName } from '../plain-text.ts';
import { visible } from '../products/rows.ts';
import type { Shop } from '../shop.ts';
import { STANDARD_CLASS } from '../totals.ts';

/** Replaces the lines. Throws `not_found` for a variant that is not for sale, and a ValidationError. */
export async function writeLines(shop: Shop, cart_id: string, lines: DraftLineInput[]): Promise<void> {
  const mistakes = lines.flatMap((line, i) => mistakesOf(line, i, lines));
  if (mistakes.length > 0) throw new ValidationError(mistakes);
  const digits = shop.currencyDigits;
  const rows = lines.map(({ variant_id, name, quantity, price, tax_class, requires_shipping }, i) => ({
    ...{ id: uuidv7(), variant_id, quantity, place: i },
    name: name === undefined ? undefined : normalName(name, ['body', 'lines', i, 'name']),
    price: price === undefined ? null : canonicalAmount(price, digits, ['body', 'lines', i, 'price']),
    ...(!variant_id && { tax_class: tax_class ?? STANDARD_CLASS, shipped: requires_shipping ?? true }),
  }));
  await shop.run(sql`delete from cart_items where site_id = ${shop.siteId} and cart_id = ${cart_id}`);
  const written = await shop.run(
    sql`with wanted as (
        select l.*, now() + l.place * interval '1 microsecond' as added_at
        from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as l (id uuid, variant_id uuid, name text, quantity int,
          price numeric, tax_class text, shipped boolean, place int)
      )
      insert into cart_items (site_id, id, cart_id, variant_id, product_id, name, variant_name, price_seen, quantity, fixed_price,
        custom_tax_class, custom_shipped, created_at)
      select ${shop.siteId}::uuid, l.id, ${cart_id}::uuid, v.id, ${keptOfVariant}, l.quantity, l.price, null, null, l.added_at
      from wanted l
      join variants v on v.site_id = ${shop.siteId} and v.id = l.variant_id
      join products p on p.site_id = v.site_id and p.id = v.product_id where ${visible}
      union all
      select ${shop.siteId}::uuid, l.id, ${cart_id}::uuid, l.id, l.id, l.name, null, l.price, l.quantity, l.price, l.tax_class, l.shipped, l.added_at
      from wanted l where l.variant_id is null`,
  );
  if (written < lines.length) throw notFound('variant');
}

/** A line needs either a variant, or a name and a price. */
function mistakesOf(line: DraftLineInput, at: number, lines: DraftLineInput[]): ValidationErrorItem[] {
  const mistake = (field: keyof DraftLineInput, words: string) =>
    bodyMistake(['lines', at, field], 'value_error', words);
  const { variant_id } = line;
  if (variant_id === undefined) {
    return [
      ...(line.name === undefined ? [mistake('name', 'Send a name and a price, or a variant_id.')] : []),
      ...(line.price === undefined ? [mistake('price', 'A custom line needs a price.')] : []),
    ];
  }
  const fields = (['name', 'tax_class', 'requires_shipping'] as const).filter((field) => line[field] !== undefined);
  const isTwice = lines.findIndex((other) => other.variant_id === variant_id) < at;
  return [
    ...fields.map((field) => mistake(field, 'Only for a custom line. Remove it or variant_id.')),
    ...(isTwice ? [mistake('variant_id', 'This variant is listed twice.')] : []),
  ];
}

/** Fixes the prices of the lines at the current prices of the variants, because the mail offers these prices. */
export async function fixPrices(shop: Shop, cart_id: string): Promise<void> {
  await shop.run(
    sql`update cart_items i set fixed_price = v.price from variants v
      where i.site_id = ${shop.siteId} and i.cart_id = ${cart_id} and i.fixed_price is null
        and v.site_id = i.site_id and v.id = i.variant_id`,
  );
}
