import sql from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import { ShopError } from '../errors.ts';
import { decimal } from '../money.ts';
import type { Shop } from '../shop.ts';
import type { ShippingTaxPart } from '../totals.ts';
import type { Plan } from './edit-plan.ts';
import { amountReceived } from './received.ts';
import { actorType } from './timeline.ts';

const MAX_LINES = 1_000;
const MAX_EDITS = 250;

/** The amounts of an order after an edit. */
export interface EditedOrder {
  subtotal: string;
  discount: string;
  shipping_cost: string;
  tax: string;
  total: string;
  previous_total: string;
  /** The new shipping option; undefined if the option does not change. */
  shipping: { name: string; kind: string; price: number; taxes: ShippingTaxPart[] } | undefined;
}

/**
 * Keeps the version of a locked order that an edit replaces. The first edit of a paid order stores `captured`, because
 * the amount received no longer follows from the total. It also stores `released`: the part of the total that was
 * neither received nor is due.
 */
export async function keepVersion(shop: Shop, order_id: string): Promise<void> {
  const kept = await shop.run(
    sql`insert into order_versions (site_id, order_id, version, content, total, received, actor_type, actor_id)
      select o.site_id, o.id, o.edits + 1, jsonb_build_object('subtotal', o.subtotal::text, 'discount', o.discount::text,
          'shipping_cost', o.shipping_cost::text, 'tax', o.tax::text, 'shipping_method', o.shipping_method, 'line_items', (
            select jsonb_agg(jsonb_build_object('id', l.id, 'variant_id', l.variant_id, 'name', l.name,
              'variant_name', l.variant_name, 'sku', l.sku, 'quantity', l.quantity, 'price', l.price::text,
              'total', l.total::text, 'discount', l.discount::text, 'tax', l.tax::text) order by l.position, l.id)
            from order_lines l where l.site_id = o.site_id and l.order_id = o.id and l.quantity > 0)),
        o.total, ${amountReceived}, ${actorType(shop)}, ${shop.actorType === 'system' ? null : shop.actorId}::uuid
      from orders o where o.site_id = ${shop.siteId} and o.id = ${order_id} and o.edits < ${MAX_EDITS}`,
  );
  if (kept === 0) {
    throw new ShopError('limit_reached', `An order can be edited at most ${MAX_EDITS} times.`, { limit: MAX_EDITS });
  }
  await shop.run(
    sql`update orders o set edits = o.edits + 1, captured = case when paid then ${amountReceived} else o.captured end,
        released = case when paid and o.released is null then greatest(0, known.kept - known.received + known.overpaid)
          else o.released end
      from (
        select b.id, b.payment_status in ('paid', 'partially_refunded') as paid, b.total - b.credited as kept,
          coalesce(b.captured, b.total) as received, coalesce(sum(r.overpaid), 0) as overpaid
        from orders b left join (refunds r left join payment_moves m on m.site_id = r.site_id and m.id = r.id)
          on r.site_id = b.site_id and r.order_id = b.id and coalesce(m.status, 'succeeded') = 'succeeded'
        where b.site_id = ${shop.siteId} and b.id = ${order_id} group by b.site_id, b.id
      ) known
      where o.site_id = ${shop.siteId} and o.id = known.id`,
  );
}

export async function writeLines(shop: Shop, order_id: string, { changed, added }: Plan): Promise<void> {
  const text = (amount: number) => decimal(amount, shop.currencyDigits);
  const rows = changed.map(({ line, quantity, total, discount, tax }) => ({
    ...{ id: line.id, quantity, total: text(total), discount: text(discount), tax: text(tax) },
  }));
  await shop.run(
    sql`update order_lines l set quantity = w.quantity, total = w.total, discount = w.discount, tax = w.tax
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as w (id uuid, quantity int, total numeric, discount numeric, tax numeric)
      where l.site_id = ${shop.siteId} and l.order_id = ${order_id} and l.id = w.id`,
  );
  const fresh = added.map(({ from, price, total, discount, tax, ...line }, i) => ({
    ...line,
    ...{ id: uuidv7(), place: i + 1, price: text(price), total: text(total), discount: text(discount), tax: text(tax) },
    variant_id: 'variant' in from ? from.variant.id : null,
    line_id: 'line' in from ? from.line.id : null,
    stock_taken: 'variant' in from ? from.variant.tracked : from.line.tracked,
  }));
  await shop.run(
    sql`with last as (
        select coalesce(max(l.position), 0) as position from order_lines l
        where l.site_id = ${shop.siteId} and l.order_id = ${order_id}
      )
      insert into order_lines (site_id, id, order_id, position, name, quantity, price, total, variant_id, product_id, sku,
        option1, option2, option3, variant_name, image_url, discount, tax, tax_class, tax_rate, stock_taken,
        requires_shipping, custom_exempt)
      select ${shop.siteId}, w.id, ${order_id}, last.position + w.place, coalesce(l.name, p.name), w.quantity, w.price, w.total,
        coalesce(l.variant_id, v.id), coalesce(l.product_id, p.id), case when l.id is null then v.sku else l.sku end,
        case when l.id is null then v.option1 else l.option1 end, case when l.id is null then v.option2 else l.option2 end,
        case when l.id is null then v.option3 else l.option3 end,
        case when l.id is null then nullif(concat_ws(' / ', v.option1, v.option2, v.option3), '') else l.variant_name end,
        case when l.id is null then coalesce(v.image_url, (
          select g.url from product_images g where g.site_id = p.site_id and g.product_id = p.id
          order by g.position, g.id limit 1)) else l.image_url end,
        w.discount, w.tax, w.tax_class, w.tax_rate, w.stock_taken,
        case when l.id is null then v.requires_shipping else l.requires_shipping end, l.custom_exempt
      from last, jsonb_to_recordset(${JSON.stringify(fresh)}::jsonb) as w (id uuid, place int, variant_id uuid, line_id uuid,
        quantity int, price numeric, total numeric, discount numeric, tax numeric, tax_class text, tax_rate numeric, stock_taken boolean)
      left join order_lines l on l.site_id = ${shop.siteId} and l.id = w.line_id
      left join variants v on v.site_id = ${shop.siteId} and v.id = w.variant_id
      left join products p on p.site_id = v.site_id and p.id = v.product_id`,
  );
  const counted = await shop.one<{ lines: number }>(
    sql`select count(*) as lines from order_lines where site_id = ${shop.siteId} and order_id = ${order_id}`,
  );
  if ((counted?.lines ?? 0) <= MAX_LINES) return;
  throw new ShopError('limit_reached', `An order can have at most ${MAX_LINES} lines.`, { limit: MAX_LINES });
}

/** Writes the amounts and the shipping option of an order, and the discount of its redeemed code. */
export async function writeAmounts(shop: Shop, order_id: string, edited: EditedOrder): Promise<void> {
  const { subtotal, discount, shipping_cost, tax, total, shipping } = edited;
  const taxes = shipping?.taxes.map(({ tax_class, rate, amount, tax }) => ({
    ...{ tax_class, rate, taxable_amount: decimal(amount, shop.currencyDigits) },
    tax: decimal(tax, shop.currencyDigits),
  }));
  const isNew = shipping !== undefined;
  await shop.run(
    sql`update orders set subtotal = ${subtotal}::numeric, discount = ${discount}::numeric, tax = ${tax}::numeric,
        shipping_cost = ${shipping_cost}::numeric, total = ${total}::numeric,
        shipping_method = case when ${isNew} then ${shipping?.name ?? null} else shipping_method end,
        shipping_kind = case when ${isNew} then ${shipping?.kind ?? null} else shipping_kind end,
        shipping_taxes = case when ${isNew} then ${JSON.stringify(taxes ?? [])}::jsonb else shipping_taxes end,
        shipping_tax = case when ${isNew} then null else shipping_tax end,
        shipping_tax_rate = case when ${isNew} then null else shipping_tax_rate end, updated_at = now()
      where site_id = ${shop.siteId} and id = ${order_id}`,
  );
  await shop.run(
    sql`update discount_redemptions set amount_off = ${discount}::numeric, updated_at = now()
      where site_id = ${shop.siteId} and order_id = ${order_id} and status = 'redeemed'`,
  );
}
