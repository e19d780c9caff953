/** The shop profile for agents. */

import type { AgentPolicy, AgentShop, Brand, Locale } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { together } from '../../db/connect.ts';
import { listCategories } from '../agent-limits/shop-categories.ts';
import { offeredMethods, readTerms } from '../checkout/state.ts';
import { withdrawFormUrl } from '../links.ts';
import { NO_BRAND, NO_LEGAL } from '../merchant/brand.ts';
import { type LegalPages, legalKinds, legalUrls } from '../merchant/legal-texts.ts';
import { withdrawalPage } from '../merchant/withdrawal-page.ts';
import { CAPS, CONTENT_TRUST, sanitizeMerchantText } from '../merchant-text.ts';
import type { CheckoutDeps } from '../payments/deps.ts';
import { policyOf } from '../returns/policy.ts';
import { type ActiveOption, isPaidOnReceipt } from '../shipping/choices.ts';
import type { Shop } from '../shop.ts';
import { nameOf } from './products.ts';
import { termsInWords } from './terms.ts';

const MAX_CATEGORIES = 50;

interface Facts extends Omit<LegalPages, 'site_id'> {
  name: string;
  agent_policy: AgentPolicy;
  brand: Brand;
  default_locale: Locale;
  withdrawal_page: boolean;
}

export async function read(shop: Shop, checkoutDeps: CheckoutDeps): Promise<AgentShop> {
  const [facts, terms, returns, found] = await together(
    readFacts(shop),
    readTerms(shop),
    policyOf(shop),
    listCategories(shop, MAX_CATEGORIES + 1),
  );
  const { enabled, max_budget_cents, max_lifetime_days } = facts.agent_policy;
  const options = terms.shipping_options;
  // Agents send category names back, so names that sanitizing would change are left out.
  const shown = found.slice(0, MAX_CATEGORIES).filter(({ value }) => sanitizeMerchantText(value, CAPS.name) === value);
  const pickup = options.some(({ kind }) => kind === 'pickup');
  const onReceipt = options.some(isPaidOnReceipt);
  const methods = offeredMethods(terms, checkoutDeps, null);
  const payment_methods: AgentShop['payment_methods'] = onReceipt ? [...methods, 'manual'] : methods;
  const { prices_include_tax } = terms;
  return {
    site_id: shop.siteId,
    currency: shop.currency,
    currency_digits: shop.currencyDigits,
    prices_include_tax,
    default_locale: facts.default_locale,
    delivery: { ...reachOf(options.filter(({ kind }) => kind === 'delivery')), pickup },
    payment_methods,
    terms: termsInWords({
      ...{ currency: shop.currency, options, payment_methods, prices_include_tax, returns },
      withdrawal_form_url: facts.withdrawal_page ? withdrawFormUrl(checkoutDeps, shop.siteId) : null,
    }),
    agents: { enabled, max_budget_cents, max_lifetime_days },
    allowed_categories: shop.agent?.categories ?? [],
    content: {
      content_trust: CONTENT_TRUST,
      name: nameOf(facts.name),
      support_email: facts.brand.support_email,
      support_phone: sanitizeMerchantText(facts.brand.support_phone, CAPS.name),
      storefront_url: terms.storefront_url,
      policies: legalUrls({ ...facts, site_id: shop.siteId }, checkoutDeps.hosts.addressOf(shop.siteId)),
      categories: shown.map((one) => ({ ...one, title: nameOf(one.title) })),
      more_categories: found.length > MAX_CATEGORIES,
    },
  };
}

async function readFacts(shop: Shop): Promise<Facts> {
  const found = await shop.one<Facts>(
    sql`select name, agent_policy, default_locale, ${withdrawalPage} as withdrawal_page, ${JSON.stringify(NO_BRAND)}::jsonb || brand as brand,
        ${JSON.stringify(NO_LEGAL)}::jsonb || legal as legal, ${legalKinds} as legal_texts
      from site_settings t where t.site_id = ${shop.siteId}`,
  );
  if (!found) throw new Error(`Site ${shop.siteId} has no settings.`);
  return found;
}

function reachOf(options: ActiveOption[]): { everywhere: boolean; countries: string[] } {
  const countries = [...new Set(options.flatMap((option) => option.countries))].sort();
  return { everywhere: options.some((option) => option.countries.length === 0), countries };
}

/** The merchant's text about a shipping option. */
export function optionContentOf({ name, description }: Pick<ActiveOption, 'name' | 'description'>) {
  return {
    content_trust: CONTENT_TRUST,
    name: nameOf(name),
    description: sanitizeMerchantText(description, CAPS.value),
  };
}
