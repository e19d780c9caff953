import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import type { Connection } from '../db/connect.ts';
import type { RowOf } from '../db/row-of.ts';
import * as customers from '../shop/customers/customers.ts';
import * as drafts from '../shop/drafts/drafts.ts';
import { Shop } from '../shop/shop.ts';
import { type CheckoutSettings, checkoutDepsOf } from './example-checkout.ts';
import { EMIL } from './people.ts';
import type { DemoActors } from './sell.ts';

const SKU = 'KH-MUG-SAGE';

/** Gives a customer of the demo shop payment terms, and sends them a quote. */
export async function offerDraft(
  db: Pool,
  connection: Connection,
  { tenant, staff, accounts }: DemoActors,
  settings: CheckoutSettings,
): Promise<void> {
  const shop = new Shop(tenant, staff, connection);
  const customer = accounts.find(({ email }) => email === EMIL.email);
  const variant = await shop.one<RowOf<'variants', 'id'>>(
    sql`select id from variants where site_id = ${shop.siteId} and sku = ${SKU}`,
  );
  if (!customer || !variant) throw new Error('The demo shop has no customer or mug for the draft order.');
  await customers.update(shop, customer.id, { payment_terms_days: 30, credit_limit: '2000.00' });
  const deps = checkoutDepsOf(db, settings);
  const { id } = await drafts.create(shop, deps, {
    customer_id: customer.id,
    lines: [{ variant_id: variant.id, quantity: 12, price: '11.00' }],
    discount: { type: 'percentage', value: '5', reason: 'First order of the office' },
    note: 'Thank you for your visit. The mugs are packed in sets of four.',
  });
  await drafts.send(shop, deps, id);
}
