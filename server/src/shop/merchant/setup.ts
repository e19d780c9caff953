/** Setup steps: settings that a shop needs to sell, and recommended ones. */

import type { operations, paths, SetupItem, SetupStep } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { TEST_PROVIDER } from '../payments/test-provider.ts';
import { policyOf } from '../returns/policy.ts';
import type { Shop } from '../shop.ts';
import type { WholeLegal } from './brand.ts';
import { isEuShop, withdrawalPage } from './withdrawal-page.ts';

/** The result of `commerce.site_health` (db/migrations/baseline/reports.ts). */
export interface Facts {
  is_published: boolean;
  is_in_stock: boolean;
  needs_delivery: boolean;
  has_delivery: boolean;
  has_pickup: boolean;
  takes_transfers: boolean;
  account_mode: 'live' | 'test' | null;
  tax_decided: boolean;
  storefront_url: string | null;
  has_contact: boolean;
  /** Contains only the texts that are set. */
  legal: Partial<WholeLegal>;
  webhooks_failing: boolean;
}

/** The operator's card provider for all shops, if any. */
interface CardDeps {
  card: { name: string } | undefined;
}

const LEGAL_TEXTS = {
  terms_url: 'terms and conditions',
  privacy_url: 'privacy policy',
  imprint_url: 'imprint',
} as const;

/** Lists the setup steps, blocking ones first. */
export async function get(shop: Shop, deps: CardDeps): Promise<{ can_sell: boolean; items: SetupItem[] }> {
  const items = [...stepsOf(await readFacts(shop), deps), ...(await withdrawal(shop)), ...(await returns(shop))];
  return { can_sell: items.every(({ blocking, done }) => done || !blocking), items };
}

/**
 * Returns the steps that depend only on these facts, blocking ones first. `get` adds the steps about withdrawals and
 * returns.
 */
export function stepsOf(facts: Facts, deps: CardDeps): SetupItem[] {
  return [
    products(facts),
    delivery(facts),
    payment(facts, deps),
    livePayments(facts, deps),
    tax(facts),
    contact(facts),
    legal(facts),
    storefront(facts),
  ];
}

async function readFacts(shop: Shop): Promise<Facts> {
  const found = await shop.one<Facts>(sql`select h.* from commerce.site_health(${shop.siteId}) h`);
  if (!found) throw new Error(`Site ${shop.siteId} has no settings.`);
  return found;
}

function products({ is_published, is_in_stock }: Facts): SetupItem {
  if (is_in_stock) return done('products', 'A product is for sale.', true);
  if (is_published) {
    const next = step('dashboard.adjustInventory', 'POST', '/api/dashboard/inventory/{variant_id}/adjust', 'delta');
    return missing('products', 'No published product is in stock. Add the stock that has arrived.', next, true);
  }
  const next = step('dashboard.createProduct', 'POST', '/api/dashboard/products', 'status', 'inventory_quantity');
  return missing(
    'products',
    'No product is published. Set the status of a product to active and add its stock.',
    next,
    true,
  );
}

function delivery({ is_published, needs_delivery, has_delivery }: Facts): SetupItem {
  if (has_delivery) return done('delivery', 'The shop has a shipping option.', true);
  if (is_published && !needs_delivery) return done('delivery', 'No product for sale needs shipping.', true);
  const message = 'No shipping option is active, so nothing can be delivered. Add one with its price and countries.';
  const next = step('dashboard.createShippingOption', 'POST', '/api/dashboard/shipping-options', ...SHIPPING_FIELDS);
  return missing('delivery', message, next, true);
}

const SHIPPING_FIELDS = ['name', 'price', 'countries'];

function payment({ takes_transfers, account_mode, has_pickup }: Facts, { card }: CardDeps): SetupItem {
  if (takes_transfers || account_mode || card) return done('payment', 'Shoppers can pay.', true);
  if (has_pickup) return done('payment', 'Shoppers can pay only when they receive the goods.', true);
  const message = "Shoppers have no way to pay. Add the shop's bank details or the key of its payment account.";
  return missing('payment', message, settings('bank_details'), true);
}

/** The step about payments with real money. The lack of any payment method is a separate step. */
function livePayments({ takes_transfers, account_mode, has_pickup }: Facts, { card }: CardDeps): SetupItem {
  const operators = account_mode === null && card !== undefined && card.name !== TEST_PROVIDER;
  if (takes_transfers || account_mode === 'live' || has_pickup || operators) {
    return done('live_payments', 'A payment method accepts real money.');
  }
  const message = 'No payment method accepts real money yet. Add bank details or the live key of the payment account.';
  return missing('live_payments', message, step('dashboard.updatePaymentAccount', 'PATCH', ACCOUNT, 'secret_key'));
}

const ACCOUNT = '/api/dashboard/payment-account';

function tax({ tax_decided }: Facts): SetupItem {
  if (tax_decided) return done('tax', 'The tax settings are confirmed.');
  const message = 'No tax is charged, and this was not confirmed. Set the rate, even if it is 0.';
  return missing('tax', message, settings('default_tax_rate', 'tax_rates', 'prices_include_tax'));
}

function contact({ has_contact }: Facts): SetupItem {
  if (has_contact) return done('contact', 'Shoppers see the contact details of the shop.');
  const message = 'Pages and mails show no contact details. Add an e-mail address or a phone number.';
  return missing('contact', message, settings('brand'));
}

function legal({ legal: links }: Facts): SetupItem {
  const absent = Object.entries(LEGAL_TEXTS).filter(([link]) => !links[link as keyof typeof LEGAL_TEXTS]);
  if (absent.length === 0) return done('legal', 'Pages and mails link to the legal texts.');
  const names = absent.map(([, name]) => name).join(', ');
  return missing('legal', `Pages and mails do not link to all legal texts. Missing: ${names}.`, settings('legal'));
}

function storefront({ storefront_url }: Facts): SetupItem {
  if (storefront_url) return done('storefront_url', "Pages and mails link to the shop's own website.");
  const message = "Pages and mails do not link to the shop's own website, because its address is not set.";
  return missing('storefront_url', message, settings('storefront_url'));
}

/** Returns the step only for shops that sell to the EU. */
async function withdrawal(shop: Shop): Promise<SetupItem[]> {
  const found = await shop.one<{ is_eu: boolean; is_on: boolean }>(
    sql`select ${isEuShop} as is_eu, ${withdrawalPage} as is_on from site_settings t where t.site_id = ${shop.siteId}`,
  );
  if (!found?.is_eu) return [];
  if (found.is_on) return [done('withdrawal', 'Consumers can withdraw from contracts on the hosted page.')];
  const message =
    'The page for withdrawals is off, but the EU requires one. Switch it on, or offer one on the website.';
  return [missing('withdrawal', message, settings('withdrawal_page'))];
}

/** Returns the step only for shops that accept return requests. */
async function returns(shop: Shop): Promise<SetupItem[]> {
  const { enabled, return_address } = await policyOf(shop);
  if (!enabled) return [];
  if (return_address) return [done('returns', 'Customers learn where to send returns.')];
  const message = 'Customers can request returns, but no return address is set. Add it, or switch return requests off.';
  return [missing('returns', message, settings('return_policy'))];
}

type Code = SetupItem['code'];

function done(code: Code, message: string, blocking = false): SetupItem {
  return { code, done: true, blocking, message, next: null };
}

function missing(code: Code, message: string, next: SetupStep, blocking = false): SetupItem {
  return { code, done: false, blocking, message, next };
}

function settings(...fields: string[]): SetupStep {
  return step('dashboard.updateSettings', 'PATCH', '/api/dashboard/settings', ...fields);
}

function step(
  operation: keyof operations,
  method: SetupStep['method'],
  path: keyof paths,
  ...fields: string[]
): SetupStep {
  return { operation, method, path, fields };
}
