/**
 * Settings of a shop. A change writes only the given fields, first in `sites`, then in `site_settings`. A change of the
 * currency locks the row in `sites` and waits for transactions that use the currency (`holdCurrency`). credentials.ts
 * and domains.ts lock the same row.
 */

import type {
  BankDetails,
  Shop as PublicShop,
  Settings,
  SettingsPatch,
  ValidationErrorItem,
} from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { selectList } from '../../db/fields.ts';
import type { RowOf } from '../../db/row-of.ts';
import { synonymTerms } from '../../search/words/synonyms.ts';
import { agentPolicy } from '../agent-limits/policy.ts';
import { isCountry } from '../countries.ts';
import { bodyMistake, ShopError, ValidationError } from '../errors.ts';
import { currencyDigits, isCurrency } from '../money.ts';
import { returnPolicy, storedPolicy } from '../returns/policy.ts';
import type { Shop } from '../shop.ts';
import { repeatedRates } from '../tax-rates.ts';
import { NO_BRAND, NO_LEGAL } from './brand.ts';
import { invoicing, invoicingMissing } from './invoicing.ts';
import {
  type LegalPages,
  legalKinds,
  legalTexts,
  legalUrls,
  requireReadableTerms,
  storedTexts,
} from './legal-texts.ts';
import { publicMistakes } from './public-facts.ts';
import { withdrawalPage } from './withdrawal-page.ts';

const COLUMNS = selectList<Settings>({
  site_id: sql`s.site_id`,
  merchant_id: sql`s.merchant_id`,
  name: sql`t.name`,
  currency: sql`s.currency`,
  prices_include_tax: sql`t.prices_include_tax`,
  tax_rates: sql`t.tax_rates`,
  shipping_tax: sql`t.shipping_tax`,
  default_tax_rate: sql`trim_scale(t.default_tax_rate)::text`,
  bank_details: sql`t.bank_details`,
  payment_deadline_hours: sql`t.payment_deadline_hours`,
  allowed_origins: sql`s.allowed_origins`,
  low_stock_threshold: sql`t.low_stock_threshold`,
  show_stock: sql`s.show_stock`,
  search_synonyms: sql`t.search_synonyms`,
  agent_policy: agentPolicy,
  default_locale: sql`t.default_locale`,
  time_zone: sql`t.time_zone`,
  brand: sql`${JSON.stringify(NO_BRAND)}::jsonb || t.brand`,
  legal: sql`${JSON.stringify(NO_LEGAL)}::jsonb || t.legal`,
  legal_texts: legalTexts,
  storefront_url: sql`t.storefront_url`,
  product_url_template: sql`t.product_url_template`,
  ask_for_marketing: sql`t.ask_for_marketing`,
  require_ucp_signatures: sql`t.require_ucp_signatures`,
  mail_new_orders: sql`t.mail_new_orders`,
  mail_overdue_invoices: sql`t.mail_overdue_invoices`,
  return_policy: returnPolicy,
  withdrawal_page: withdrawalPage,
  invoicing,
  invoicing_missing: invoicingMissing,
  updated_at: sql`t.updated_at`,
});

export async function get(shop: Shop): Promise<Settings> {
  const found = await shop.one<Settings>(
    sql`select ${COLUMNS} from sites s join site_settings t using (site_id) where s.site_id = ${shop.siteId}`,
  );
  if (!found) throw new Error(`Site ${shop.siteId} has no settings.`);
  return found;
}

const PUBLIC_COLUMNS = selectList<Omit<PublicShop, 'policies'> & Pick<LegalPages, 'legal' | 'legal_texts'>>({
  site_id: sql`s.site_id`,
  merchant_id: sql`s.merchant_id`,
  name: sql`t.name`,
  currency: sql`s.currency`,
  currency_digits: sql`s.currency_digits`,
  prices_include_tax: sql`t.prices_include_tax`,
  support_email: sql`t.brand ->> 'support_email'`,
  support_phone: sql`t.brand ->> 'support_phone'`,
  legal: sql`${JSON.stringify(NO_LEGAL)}::jsonb || t.legal`,
  legal_texts: legalKinds,
  withdrawal_form_path: sql`case when ${withdrawalPage} then '/sites/' || t.site_id || '/withdraw' end`,
});

/**
 * The public facts of a shop for storefronts. Links to hosted pages use the server's base URL, which redirects to the
 * shop's host, because responses are cached and a change of the host does not invalidate them.
 */
export async function getPublic(shop: Shop, baseUrl: string): Promise<PublicShop> {
  const found = await shop.one<Omit<PublicShop, 'policies'> & LegalPages>(
    sql`select ${PUBLIC_COLUMNS} from sites s join site_settings t using (site_id) where s.site_id = ${shop.siteId}`,
  );
  if (!found) throw new Error(`Site ${shop.siteId} has no settings.`);
  const { legal, legal_texts, ...facts } = found;
  return { ...facts, policies: legalUrls(found, baseUrl) };
}

/**
 * Changes the given settings. A list or object is replaced as a whole. Throws a ValidationError, or `currency_in_use`
 * if the shop has amounts in the old currency.
 */
export async function update(shop: Shop, patch: SettingsPatch, baseUrl: string): Promise<Settings> {
  const mistakes = [...settingsMistakes(patch), ...publicMistakes(patch, baseUrl)];
  if (mistakes.length > 0) throw new ValidationError(mistakes);
  if (patch.currency !== undefined) await changeCurrency(shop, patch.currency);
  const name = patch.name?.trim() ?? null;
  const legal_texts = storedTexts(patch.legal_texts);
  const return_policy = storedPolicy(patch.return_policy, shop.currencyDigits);
  await shop.run(
    sql`update sites set merchant_name = coalesce(${name}, merchant_name),
        allowed_origins = coalesce(${patch.allowed_origins ?? null}::text[], allowed_origins),
        show_stock = coalesce(${patch.show_stock ?? null}, show_stock)
      where site_id = ${shop.siteId}`,
  );
  // In nullable fields, null clears the value, and a missing field keeps it.
  const stored = await shop.one<Pick<LegalPages, 'legal' | 'legal_texts'>>(
    sql`update site_settings t set
        name = coalesce(${name}, name),
        prices_include_tax = coalesce(${patch.prices_include_tax ?? null}, prices_include_tax),
        tax_rates = coalesce(${json(patch.tax_rates)}::jsonb, tax_rates),
        shipping_tax = coalesce(${patch.shipping_tax ?? null}, shipping_tax),
        default_tax_rate = coalesce(${patch.default_tax_rate ?? null}::numeric, default_tax_rate),
        tax_decided = tax_decided or ${patch.tax_rates !== undefined || patch.default_tax_rate !== undefined},
        bank_details = case when ${patch.bank_details !== undefined} then ${json(whole(patch.bank_details))}::jsonb
          else bank_details end,
        payment_deadline_hours = coalesce(${patch.payment_deadline_hours ?? null}, payment_deadline_hours),
        low_stock_threshold = coalesce(${patch.low_stock_threshold ?? null}, low_stock_threshold),
        search_synonyms = coalesce(${json(patch.search_synonyms)}::jsonb, search_synonyms),
        search_synonym_terms = coalesce(${json(patch.search_synonyms && synonymTerms(patch.search_synonyms))}::jsonb,
          search_synonym_terms),
        agent_policy = coalesce(${json(patch.agent_policy)}::jsonb, agent_policy),
        default_locale = coalesce(${patch.default_locale ?? null}, default_locale),
        time_zone = coalesce(${patch.time_zone ?? null}, time_zone),
        brand = coalesce(${json(patch.brand)}::jsonb, brand), legal = coalesce(${json(patch.legal)}::jsonb, legal),
        legal_texts = coalesce(${json(legal_texts)}::jsonb, legal_texts),
        storefront_url = case when ${patch.storefront_url !== undefined}
          then ${patch.storefront_url ?? null} else storefront_url end,
        product_url_template = case when ${patch.product_url_template !== undefined}
          then ${patch.product_url_template ?? null} else product_url_template end,
        ask_for_marketing = coalesce(${patch.ask_for_marketing ?? null}, ask_for_marketing),
        require_ucp_signatures = coalesce(${patch.require_ucp_signatures ?? null}, require_ucp_signatures),
        mail_new_orders = coalesce(${patch.mail_new_orders ?? null}, mail_new_orders),
        mail_overdue_invoices = coalesce(${patch.mail_overdue_invoices ?? null}, mail_overdue_invoices),
        return_policy = coalesce(${json(return_policy)}::jsonb, return_policy),
        withdrawal_page = coalesce(${patch.withdrawal_page ?? null}, withdrawal_page),
        invoicing = coalesce(${json(patch.invoicing)}::jsonb, invoicing),
        updated_at = now()
      where site_id = ${shop.siteId}
      returning ${JSON.stringify(NO_LEGAL)}::jsonb || t.legal as legal, ${legalKinds} as legal_texts`,
  );
  if (stored) requireReadableTerms(patch, stored);
  return get(shop);
}

/**
 * Changes the currency. Waits for transactions that write prices, each of which has a key lock on the site's row. The
 * budgets of agents are amounts in the currency, so agent tokens and open consents prevent a change.
 */
async function changeCurrency(shop: Shop, currency: string): Promise<void> {
  const now = await shop.one<RowOf<'sites', 'currency'>>(
    sql`select currency from sites where site_id = ${shop.siteId} for update`,
  );
  if (now?.currency === currency) return;
  const changed = await shop.run(
    sql`update sites set currency = ${currency}, currency_digits = ${currencyDigits(currency)}
      where site_id = ${shop.siteId}
        and not exists (select from products where site_id = ${shop.siteId})
        and not exists (select from cart_items where site_id = ${shop.siteId})
        and not exists (select from discounts where site_id = ${shop.siteId})
        and not exists (select from shipping_options where site_id = ${shop.siteId})
        and not exists (select from orders where site_id = ${shop.siteId})
        and not exists (select from agent_tokens where site_id = ${shop.siteId})
        and not exists (
          select from agent_consents
          where site_id = ${shop.siteId} and status in ('pending', 'approved') and expires_at > now())`,
  );
  if (changed === 0) throw new ShopError('currency_in_use', 'The shop has amounts in its current currency.');
}

/** Reports mistakes in settings that the schema cannot detect. */
function settingsMistakes({
  name,
  currency,
  tax_rates = [],
  bank_details,
  invoicing,
}: SettingsPatch): ValidationErrorItem[] {
  const mistakes: ValidationErrorItem[] = [];
  if (name?.trim() === '') {
    mistakes.push(bodyMistake(['name'], 'string_too_short', 'The name must not be blank.', { min_length: 1 }));
  }
  if (currency !== undefined && !isCurrency(currency)) {
    mistakes.push(bodyMistake(['currency'], 'value_error', 'Not an active ISO 4217 currency code.'));
  }
  if (bank_details && !hasValidCheckDigits(bank_details.iban)) {
    mistakes.push(bodyMistake(['bank_details', 'iban'], 'value_error', 'The check digits of this IBAN are wrong.'));
  }
  if (invoicing?.country && !isCountry(invoicing.country)) {
    mistakes.push(bodyMistake(['invoicing', 'country'], 'country_unknown', 'Not the code of a country.'));
  }
  const { vat_currency = null, vat_exchange_rate = null, vat_exchange_rate_source = null } = invoicing ?? {};
  if (vat_currency !== null && !isCurrency(vat_currency)) {
    mistakes.push(bodyMistake(['invoicing', 'vat_currency'], 'value_error', 'Not an active ISO 4217 currency code.'));
  }
  const conversion = Object.entries({ vat_currency, vat_exchange_rate, vat_exchange_rate_source });
  if (conversion.some(([, value]) => value !== null)) {
    for (const [field, value] of conversion) {
      if (value === null)
        mistakes.push(bodyMistake(['invoicing', field], 'missing', 'VAT in another currency needs it.'));
    }
  }
  for (const [field, text] of Object.entries(invoicing ?? {})) {
    if (text === null || field.endsWith('prefix') || text.trim() !== '') continue;
    mistakes.push(bodyMistake(['invoicing', field], 'string_too_short', 'Must not be blank.', { min_length: 1 }));
  }
  return [...mistakes, ...repeatedRates(tax_rates)];
}

/**
 * Verifies an IBAN by ISO 13616: the first four characters are moved to the end, letters become numbers (A = 10), and
 * the remainder modulo 97 must be 1.
 */
export function hasValidCheckDigits(iban: string): boolean {
  const moved = iban.slice(4) + iban.slice(0, 4);
  const digits = moved.replaceAll(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55));
  return BigInt(digits) % 97n === 1n;
}

/** Adds the missing fields, because responses contain all of them. */
function whole(details: BankDetails | undefined): BankDetails | undefined {
  return details && { bic: null, bank_name: null, instructions: null, ...details };
}

function json(value: unknown): string | null {
  return value === undefined || value === null ? null : JSON.stringify(value);
}
