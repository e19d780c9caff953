import { randomBytes } from 'node:crypto';
import type { Address, Checkout, OrderDetails, TestMail, TestOrder } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import type { RowOf } from '../../db/row-of.ts';
import { NOTHING_SPENT } from '../agent-limits/budgets.ts';
import * as carts from '../carts/carts.ts';
import { ShopError } from '../errors.ts';
import { type Mails, type MailTemplate, membersFor } from '../mail.ts';
import { compose } from '../mails/templates.ts';
import { decimal } from '../money.ts';
import * as orders from '../orders/orders.ts';
import { timeline } from '../orders/timeline.ts';
import type { CheckoutDeps } from '../payments/deps.ts';
import { TEST_PROVIDER } from '../payments/test-provider.ts';
import { type ActiveOption, choicesForCart } from '../shipping/choices.ts';
import type { Shop } from '../shop.ts';
import * as checkouts from './checkouts.ts';
import { createOrder, createPaidOrder } from './new-order.ts';
import { type Charged, lockToComplete, type Priced, priceLocked, readTerms } from './state.ts';

/**
 * Places a test order in a savepoint that is always rolled back. No other transaction sees it, the next order reuses
 * its number, and no event or mail is sent. Its locks (see complete.ts) last until the rollback. Throws
 * `checkout_incomplete` if the shop has no product or shipping option for it.
 */
export async function placeTestOrder(shop: Shop, deps: CheckoutDeps, serverUrl: string): Promise<TestOrder> {
  const undo = new Undo();
  try {
    return await shop.savepoint(async () => {
      undo.placed = await place(shop, deps, serverUrl);
      throw undo;
    });
  } catch (error) {
    if (error !== undo || !undo.placed) throw error;
    return undo.placed;
  }
}

class Undo extends Error {
  placed: TestOrder | undefined;
}

const BUYER = 'test-order@example.com';

async function place(shop: Shop, deps: CheckoutDeps, serverUrl: string): Promise<TestOrder> {
  const buyer = shop.asSystem();
  const { id: cart_id } = await carts.create(buyer);
  await carts.addItem(buyer, cart_id, { variant_id: await cheapestVariant(shop), quantity: 1 });
  const checkout = await checkouts.create(buyer, deps, cart_id);
  await sendSomewhere(buyer, deps, checkout);
  const order_id = await buy(buyer, deps, checkout.id);
  const order = await orders.get(shop, order_id);
  const { entries } = await timeline(shop, order_id, {});
  return { test: true, order, timeline: entries, mails: await mailsOf(shop, serverUrl, order) };
}

async function cheapestVariant(shop: Shop): Promise<string> {
  const found = await shop.one<RowOf<'variants', 'id'>>(
    sql`select v.id from variants v join products p on p.site_id = v.site_id and p.id = v.product_id
      where v.site_id = ${shop.siteId} and p.status = 'active' and p.published_at <= now()
        and (not v.track_inventory or v.inventory_policy = 'continue' or v.on_hand > v.reserved)
      order by v.price, v.id limit 1`,
  );
  if (found) return found.id;
  throw incomplete('Publish a product that is in stock first.', 'product');
}

const MOST_OPTIONS_TRIED = 20;

/** Sets a shipping address to which the shop delivers, and the first shipping option that is available there. */
async function sendSomewhere(
  buyer: Shop,
  deps: CheckoutDeps,
  { id, cart_id, requires_shipping }: Pick<Checkout, 'id' | 'cart_id' | 'requires_shipping'>,
): Promise<void> {
  const { shipping_options: options } = await readTerms(buyer);
  const give = (patch: checkouts.CheckoutPatch) => checkouts.update(buyer, deps, id, { email: BUYER, ...patch });
  if (!requires_shipping) return void (await give({ shipping_address: addressFor(options[0]) }));
  for (const option of options.slice(0, MOST_OPTIONS_TRIED)) {
    const shipping_address = addressFor(option);
    const { shipping_options } = await choicesForCart(buyer, cart_id, shipping_address);
    const [first] = shipping_options;
    if (first) return void (await give({ shipping_address, shipping_option_id: first.id }));
  }
  throw incomplete('No shipping option is available for the cheapest product. Add one first.', 'shipping_option_id');
}

/** Returns an address in the area of the shipping option. */
function addressFor(option: ActiveOption | undefined): Address {
  return {
    first_name: 'Test',
    last_name: 'Order',
    address1: 'Test Street 1',
    city: 'Test Town',
    country: option?.countries[0] ?? 'DE',
    state: option?.states[0] ?? null,
    postal_code: option?.postcode_prefixes[0] ?? '10115',
  };
}

/** Creates the order as if the test provider had charged it. Returns its id. */
async function buy(buyer: Shop, deps: CheckoutDeps, id: string): Promise<string> {
  const locked = await lockToComplete(buyer, id, null);
  const priced: Priced = priceLocked(buyer, deps, locked);
  if (priced.totals.total === 0) return (await createOrder(buyer, priced, null)).id;
  const charged = await charge(buyer, priced);
  return (await createPaidOrder(buyer, { ...priced, payment_method: 'card', missing: [] }, charged, NOTHING_SPENT)).id;
}

async function charge(buyer: Shop, { row, totals }: Priced): Promise<Charged> {
  const payment_id = uuidv7();
  const amount = decimal(totals.total, buyer.currencyDigits);
  await buyer.run(
    sql`insert into payments (site_id, id, checkout_id, provider, status, amount, captured_amount, currency, card_hash)
      values (${buyer.siteId}, ${payment_id}, ${row.id}, ${TEST_PROVIDER}, 'succeeded', ${amount}, ${amount}, ${buyer.currency},
        ${randomBytes(32)})`,
  );
  return { payment_id, amount, status: 'succeeded', paid_by: 'card' };
}

async function mailsOf(shop: Shop, serverUrl: string, { id: order_id }: OrderDetails): Promise<TestMail[]> {
  const mails: TestMail[] = [];
  const write = async <Template extends MailTemplate>(template: Template, about: Mails[Template]) => {
    const mail = await compose(shop, serverUrl, { site_id: shop.siteId, template, about });
    if (mail) mails.push({ template, to: mail.to, subject: mail.subject, text: mail.text, html: mail.html });
  };
  await write('order_placed', { order_id });
  const { tells_shop } = await readTerms(shop);
  if (!tells_shop) return mails;
  await write('new_order', { order_id, to_shop: true });
  const members = await membersFor(shop, 'new_order');
  for (const staff_id of members.slice(0, MOST_MEMBERS)) await write('new_order', { order_id, staff_id });
  return mails;
}

const MOST_MEMBERS = 10;

function incomplete(message: string, missing: string): ShopError {
  return new ShopError('checkout_incomplete', message, { missing: [missing] });
}
