import type { CustomerOrder } from '@commerce-backend/spec';
import sql, { type Sql } from 'sql-template-tag';
import { together } from '../../db/connect.ts';
import { newId } from '../../db/new-id.ts';
import type { RowOf } from '../../db/row-of.ts';
import { NOTHING_SPENT, type Spent } from '../agent-limits/budgets.ts';
import * as redemptions from '../carts/redemptions.ts';
import * as consents from '../customers/consents.ts';
import { foldEmail } from '../emails.ts';
import { ShopError } from '../errors.ts';
import * as mail from '../mail.ts';
import { decimal } from '../money.ts';
import { fulfillIfNothingShips } from '../orders/nothing-to-ship.ts';
import { getForCustomer } from '../orders/rows.ts';
import type { OrderStates } from '../orders/states.ts';
import * as events from '../orders/timeline.ts';
import type { Shop } from '../shop.ts';
import * as stock from '../stock/stock.ts';
import { totalsOnTheWire } from '../totals.ts';
import { customerOf } from './binding.ts';
import { holdStock } from './hold.ts';
import { asMade } from './made-order.ts';
import { dueOf, methodOf } from './payment-deadline.ts';
import type { Charged, Priced } from './state.ts';

/**
 * Creates the order of a locked and checked checkout. Throws `insufficient_stock`, `conflict` if stock settings have
 * changed, and the errors of `redemptions.redeem`. After the stock is reserved, all statements are sent together: every
 * order of the shop waits for the counter of order numbers, so the counter is locked as briefly as possible.
 */
export async function createOrder(
  shop: Shop,
  priced: Priced,
  customer_id: string | null,
  { spent = NOTHING_SPENT }: { spent?: Spent } = {},
): Promise<CustomerOrder> {
  const { row, lines } = priced;
  const order_id = newId();
  await redemptions.redeem(shop, { ...priced.cart, lines }, order_id, { customer_id, email: row.email });
  await holdStock(shop, row.id, priced.cart, lines);
  const [sold, order] = await together(
    stock.sell(shop, row.id, order_id),
    writeOrder(shop, priced, { id: order_id, customer_id, spent, charged: undefined }),
  );
  refuseOtherStock(priced, sold);
  return order;
}

/**
 * Creates the order of a successful payment from its stored state. Sells the reserved stock, even if the products have
 * changed since.
 */
export async function createPaidOrder(
  shop: Shop,
  priced: Priced,
  charged: Charged,
  spent: Spent,
): Promise<CustomerOrder> {
  const { row, cart } = priced;
  const order_id = newId();
  await redemptions.redeemPaid(shop, cart, order_id);
  const sold = await stock.sell(shop, row.id, order_id);
  const lines = priced.lines.map((line) => ({ ...line, held: sold.has(line.variant_id) ? line.quantity : 0 }));
  return writeOrder(shop, { ...priced, lines }, { id: order_id, customer_id: row.customer_id, spent, charged });
}

interface NewOrder {
  id: string;
  customer_id: string | null;
  spent: Spent;
  charged: Charged | undefined;
}

async function writeOrder(shop: Shop, priced: Priced, order: NewOrder): Promise<CustomerOrder> {
  const { id: order_id, charged } = order;
  const { row } = priced;
  const context = { total: decimal(priced.totals.total, shop.currencyDigits) };
  const states = statesOf(priced, charged);
  const payment = settledAtOnce(priced, charged);
  const [, , order_number] = await together(
    close(shop, order_id, priced),
    mail.enqueueAll(shop, priced.terms.tells_shop ? ['order_placed', 'new_order'] : ['order_placed'], { order_id }),
    insertOrder(shop, order_id, order, priced, charged),
    charged && attachPayment(shop, order_id, row.id, charged),
    events.record(shop, order_id, { type: 'created', message: MADE_ON[row.source], context }),
    payment && events.record(shop, order_id, { ...payment, context }),
  );
  if (row.marketing_opt_in && row.email) {
    const { email, marketing_wording: wording } = row;
    await consents.recordAtCheckout(shop, { order_id, customer_id: order.customer_id, email, wording });
  }
  if (!priced.requires_shipping && states.payment_status === 'paid') {
    await fulfillIfNothingShips(shop, order_id);
    return getForCustomer(shop, order_id);
  }
  if (charged) return getForCustomer(shop, order_id);
  const { customer_id } = order;
  return asMade(shop, priced, { id: order_id, order_number, customer_id, states });
}

/**
 * Throws `conflict` if stock tracking of a variant was switched on or off after the cart was read, because the sold
 * stock then differs from the lines.
 */
function refuseOtherStock({ lines }: Priced, sold: Set<string>): void {
  if (lines.every(({ held, variant_id }) => held > 0 === sold.has(variant_id))) return;
  throw new ShopError('conflict', 'The stock settings changed. Retry the request.');
}

const MADE_ON: Record<Priced['row']['source'], string> = {
  storefront: 'Ordered on the storefront.',
  agent: 'Ordered with the help of an agent.',
  ai_widget: 'Ordered with the AI widget.',
  dashboard: 'Ordered on the dashboard.',
  import: 'Imported.',
};

/** The timeline entry for an order that is paid or authorized when it is created. */
function settledAtOnce(priced: Priced, charged: Charged | undefined): events.OrderEvent | undefined {
  if (priced.payment_method === 'free') return { type: 'payment_confirmed', message: 'There was nothing to pay.' };
  switch (statesOf(priced, charged).payment_status) {
    case 'paid':
      return { type: 'payment_confirmed', message: `The ${charged?.paid_by ?? 'card'} payment succeeded.` };
    case 'authorized':
      return { type: 'payment_authorized', message: `The ${charged?.paid_by ?? 'card'} payment was authorized.` };
    default:
      return undefined;
  }
}

function statesOf({ payment_method }: Priced, charged: Charged | undefined): OrderStates {
  const fulfillment_status = 'unfulfilled';
  switch (payment_method) {
    case 'free':
      return { status: 'confirmed', payment_status: 'paid', fulfillment_status };
    case 'manual':
    case 'invoice':
      return { status: 'confirmed', payment_status: 'pending', fulfillment_status };
    case 'card':
      if (charged?.status === 'succeeded') return { status: 'confirmed', payment_status: 'paid', fulfillment_status };
      if (charged?.status === 'authorized')
        return { status: 'confirmed', payment_status: 'authorized', fulfillment_status };
      return { status: 'pending', payment_status: 'pending', fulfillment_status };
    default:
      return { status: 'pending', payment_status: 'awaiting_payment', fulfillment_status };
  }
}

async function insertOrder(
  shop: Shop,
  id: string,
  { customer_id, spent }: Pick<NewOrder, 'customer_id' | 'spent'>,
  priced: Priced,
  charged: Charged | undefined,
): Promise<string> {
  const { row, terms, cart, payment_method, shipping_option, tax } = priced;
  const amounts = totalsOnTheWire(priced.totals, shop.currencyDigits);
  const states = statesOf(priced, charged);
  const due = dueOf(priced);
  const made = await shop.one<RowOf<'orders', 'order_number'>>(
    sql`with counted as (
        insert into order_numbers as n (site_id, last_number) values (${shop.siteId}, 1001)
        on conflict (site_id) do update set last_number = n.last_number + 1 returning last_number
      ), lines as (${insertLines(shop, id, priced)}), sales as (${insertSales(shop, id, priced)})
      insert into orders (site_id, id, order_number, checkout_id, customer_id, email, phone, subtotal, discount,
        shipping_cost, tax, tax_included, total, currency, status, payment_status, fulfillment_status, payment_method,
        billing_address, shipping_address, shipping_method, shipping_kind, source, external_reference, discount_code, bank_details, note,
        payment_due_at, payment_reminder_at, payment_terms_days, payment_confirmed_at, agent_token_id, agent_spent_cents,
        agent_period_number, shipping_taxes, locale, digital_consent_wording, attribution)
      select ${shop.siteId}, ${id}, last_number::text, ${row.id}, ${ownerOf(shop, customer_id, row.email)}, ${row.email}, ${row.phone},
        ${amounts.subtotal}, ${amounts.discount}, ${amounts.shipping_cost}, ${amounts.tax}, ${tax.included},
        ${amounts.total}, ${shop.currency}, ${states.status}, ${states.payment_status}, ${states.fulfillment_status},
        ${charged?.paid_by ?? methodOf(payment_method)}, ${json(row.billing_address)}::jsonb, ${json(row.shipping_address)}::jsonb,
        ${shipping_option?.name ?? null}, ${shipping_option?.kind ?? null}, ${row.source}, (
          select s.reference from sync_orders s where s.site_id = ${shop.siteId} and s.checkout_id = ${row.id}),
        ${cart.discount?.holds ? cart.discount.code : null},
        ${due ? json(terms.bank_details) : null}::jsonb, ${row.note}, now() + ${due?.hours ?? null}::int * interval '1 hour',
        now() + ${due?.reminder_hours ?? null}::numeric * interval '1 hour', ${due?.terms_days ?? null}, case when ${states.payment_status === 'paid'} then now() end,
        ${row.agent_token_id}, ${spent.cents}, ${spent.period_number}, ${json(shippingTaxes(priced, shop.currencyDigits))}::jsonb,
        ${row.locale ?? terms.default_locale}, ${digitalConsent(priced)}, (
          select k.attribution from checkouts k where k.site_id = ${shop.siteId} and k.id = ${row.id})
      from counted returning order_number`,
  );
  if (!made) throw new Error(`The order of checkout ${row.id} got no number.`);
  return made.order_number;
}

/**
 * The customer or, for a guest, the account that has verified the e-mail address of the order. Locks the account, so
 * that it is not erased before the order refers to it.
 */
function ownerOf(shop: Shop, customer_id: string | null, email: string | null): Sql {
  if (customer_id !== null || email === null) return sql`${customer_id}::uuid`;
  return sql`(
          select c.id from customers c where c.site_id = ${shop.siteId} and c.email = ${foldEmail(email)}
            and c.email_verified_at is not null and c.anonymized_at is null for key share)`;
}

/** The consent counts only for an order with digital goods. */
function digitalConsent({ row, lines }: Priced): string | null {
  return lines.some(({ digital }) => digital) ? row.digital_consent_wording : null;
}

function shippingTaxes({ totals }: Priced, digits: number) {
  return totals.shipping_taxes.map(({ tax_class, rate, amount, tax }) => ({
    ...{ tax_class, rate, taxable_amount: decimal(amount, digits), tax: decimal(tax, digits) },
  }));
}

/**
 * Stores the sales for the best-seller sort order. A job adds them to the products, so that buyers of the same product
 * do not wait for each other.
 */
function insertSales(shop: Shop, order_id: string, priced: Priced): Sql {
  const lines = priced.lines.filter(({ custom }) => !custom);
  return sql`insert into product_sales (site_id, order_id, product_id, quantity)
      select ${shop.siteId}, ${order_id}, product_id, sum(quantity)
      from unnest(${lines.map(({ product_id }) => product_id)}::uuid[],
        ${lines.map(({ quantity }) => quantity)}::int[]) as l (product_id, quantity) group by product_id`;
}

function insertLines(shop: Shop, order_id: string, { lines, totals }: Priced): Sql {
  const digits = shop.currencyDigits;
  const off = new Map(totals.allocations.map(({ id, amount }) => [id, amount]));
  const taxes = new Map(totals.taxes.map(({ id, ...tax }) => [id, tax]));
  const rows = lines.map((line, i) => ({
    ...line,
    ...(line.custom && { variant_id: null, product_id: null }),
    position: i + 1,
    price: decimal(line.price, digits),
    total: decimal(line.price * line.quantity, digits),
    discount: decimal(off.get(line.id) ?? 0, digits),
    tax: decimal(taxes.get(line.id)?.amount ?? 0, digits),
    tax_rate: taxes.get(line.id)?.rate ?? null,
    stock_taken: line.held > 0,
  }));
  return sql`insert into order_lines (site_id, id, order_id, position, name, quantity, price, total, variant_id, product_id, sku,
        option1, option2, option3, variant_name, image_url, discount, tax, tax_class, tax_rate, stock_taken, requires_shipping,
        custom_exempt)
      select ${shop.siteId}, id, ${order_id}, position, name, quantity, price, total, variant_id, product_id, sku, option1,
        option2, option3, variant_name, image_url, discount, tax, tax_class, tax_rate, stock_taken, requires_shipping,
        custom_exempt
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as l (id uuid, position int, name text, quantity int,
        price numeric, total numeric, variant_id uuid, product_id uuid, sku text, option1 text, option2 text, option3 text,
        variant_name text, image_url text, discount numeric, tax numeric, tax_class text, tax_rate numeric, stock_taken boolean,
        requires_shipping boolean, custom_exempt text)`;
}

async function close(shop: Shop, order_id: string, { row }: Priced): Promise<void> {
  await shop.run(
    sql`with converted as (
        update carts set status = 'converted', payment_id = null, updated_at = now() where site_id = ${shop.siteId} and id = ${row.cart_id}
      )
      update checkouts set status = 'completed', order_id = ${order_id}, payment_id = null, reserved_until = null,
        told_prices = null, customer_id = ${customerOf(shop, row)}, updated_at = now()
      where site_id = ${shop.siteId} and id = ${row.id}`,
  );
}

async function attachPayment(
  shop: Shop,
  order_id: string,
  checkout_id: string,
  { payment_id }: Charged,
): Promise<void> {
  const attached = await shop.run(
    sql`update payments set order_id = ${order_id}, updated_at = now()
      where site_id = ${shop.siteId} and id = ${payment_id} and checkout_id = ${checkout_id}
        and order_id is null and status in ('pending', 'authorized', 'succeeded')`,
  );
  if (attached === 1) return;
  throw new ShopError('conflict', 'The payment was replaced by another. Read the checkout again.');
}

function json(value: unknown): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value);
}
