import { expect } from 'vitest';
import { finishMoves } from '../src/shop/checkout/moving.ts';
import { settlePayments } from '../src/shop/checkout/settle-all.ts';
import { findTenant } from '../src/shop/in-shop.ts';
import { createTestProvider } from '../src/shop/payments/test-provider.ts';
import { givenVariant } from './buying.ts';
import { mailsTo } from './mail.ts';
import { type Page, PaperBrowser } from './paper-browser.ts';
import { SECRET_KEY } from './server.ts';
import { openShop } from './shop.ts';

export const ORDER = '/api/dashboard/orders/{order_id}';
const CODE = '10115';

/** The target of a page that redirects, which the page also shows as a link. */
export function goesOnTo({ response, html }: Page): string {
  const target = /^0; url=(.+)$/.exec(response.headers.get('Refresh') ?? '')?.[1] ?? '';
  expect(html).toContain(`href="${target}"`);
  return target;
}

/** The link in the newest mail about an order to an e-mail address. */
export async function newestLink(shop: Parameters<typeof mailsTo>[0], email: string): Promise<string> {
  const { html = '' } = (await mailsTo(shop, email)).at(-1) ?? {};
  const [, link = ''] = /href="([^"#]*\/orders\/ord_[0-9A-Za-z]{38})"/.exec(html) ?? [];
  return link;
}

/**
 * A guest's paid order of mugs (10.00, parcel 4.90) to which an edit added a lid (12.50), so that 12.50 is due. By
 * default it was paid by card with the test provider.
 */
export async function givenDue({ method = 'card' as 'card' | 'bank_transfer', quantity = 1, locale = 'en' } = {}) {
  const shop = await openShop();
  const { dashboard } = shop;
  await dashboard.PATCH('/api/dashboard/settings', { body: { default_locale: locale } });
  const email = `june-${crypto.randomUUID()}@example.com`;
  const mug = await givenVariant(shop, { price: '10.00', inventory_quantity: 30 });
  const lid = await givenVariant(shop, { name: 'Lid', price: '12.50', inventory_quantity: 30 });
  const card = method === 'card' && { payment_method: 'card' as const, card_token: 'tok_success' };
  const content = [{ variant_id: mug.variant_id, quantity }];
  const order = await shop.givenOrder({ email, content, ...card });
  const at = { params: { path: { order_id: order.id } } };
  if (method === 'bank_transfer') await dashboard.POST(`${ORDER}/mark-paid`, at);
  const edit = async (pieces = 1) => {
    const add = [{ variant_id: lid.variant_id, quantity: pieces }];
    const { data, error } = await dashboard.POST(`${ORDER}/edit`, { ...at, body: { add, dry_run: true } });
    if (!data) return { error };
    return dashboard.POST(`${ORDER}/edit`, { ...at, body: { add, expected_total: data.expected_total } });
  };
  const edited = await edit();
  if (!('data' in edited) || !edited.data) throw new Error(`The edit was refused: ${JSON.stringify(edited.error)}`);
  const link = await newestLink(shop, email);
  const tenant = await findTenant(shop.db, shop.site_id);
  if (!tenant) throw new Error('The shop is gone.');
  const provider = createTestProvider({ db: shop.db, baseUrl: shop.baseUrl });
  const deps = { card: provider, secretKey: SECRET_KEY };
  /** Opens the order's page in a new browser and presses the payment button. */
  const leave = async (browser = new PaperBrowser(shop.baseUrl), proof = CODE) =>
    browser.press(await browser.open(link), 'pay_due', { proof });
  return {
    shop,
    order,
    email,
    link,
    lid,
    edit,
    leave,
    tenant,
    provider,
    deps,
    /** Pays on the provider's page. Returns the page to which the provider redirects. */
    async pay(decision: 'approve' | 'decline' = 'approve') {
      const browser = new PaperBrowser(shop.baseUrl);
      const decided = await browser.press(await browser.open(goesOnTo(await leave(browser))), decision);
      const back = await browser.open(goesOnTo(decided));
      return browser.open(back.response.headers.get('Location') ?? '');
    },
    details: async () => (await dashboard.GET(ORDER, at)).data,
    refund: (amount: string) => dashboard.POST(`${ORDER}/refunds`, { ...at, body: { amount, reason: 'other' } }),
    record: (amount: string) => dashboard.POST(`${ORDER}/payments`, { ...at, body: { amount, method: 'cash' } }),
    cancel: () => dashboard.POST(`${ORDER}/cancel`, { ...at, body: { reason: 'customer', refund: true } }),
    timeline: async () => (await dashboard.GET(`${ORDER}/timeline`, at)).data?.entries ?? [],
    /** The payments of the amount due, oldest first. */
    payments: async () =>
      (
        await shop.owner.query<{ id: string; status: string; amount: string }>(
          `select id, status, amount from commerce.payments where order_id = $1 and purpose = 'amount_due' order by id`,
          [order.id],
        )
      ).rows,
    /** The amount that the test provider holds for the shop, in cents. */
    async kept() {
      const { rows } = await shop.owner.query<{ kept: string }>(
        `select coalesce(sum(t.captured - (select coalesce(sum(value::bigint), 0) from jsonb_each_text(t.refunds))), 0) as kept
         from commerce.test_payments t join commerce.payments p on p.site_id = t.site_id and p.id = t.id
         where p.site_id = $1`,
        [shop.site_id],
      );
      return Number(rows[0]?.kept);
    },
    /** Approves the open payment on the provider's page without returning to the shop. */
    async approve(leaving: Page) {
      const browser = new PaperBrowser(shop.baseUrl);
      await browser.press(await browser.open(goesOnTo(leaving)), 'approve');
    },
    settlePayments: () => settlePayments(shop.db, tenant, deps),
    finishMoves: () => finishMoves(shop.db, tenant, deps),
  };
}
