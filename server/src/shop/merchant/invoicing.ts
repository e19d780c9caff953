import type { Invoicing } from '@commerce-backend/spec';
import sql, { type Sql } from 'sql-template-tag';
import type { Shop } from '../shop.ts';

/** The settings of a new shop. It issues no documents, because the data of the seller is missing. */
const INITIAL: Invoicing = {
  issue: 'on_fulfillment',
  prefix: 'INV-',
  credit_note_prefix: 'CN-',
  legal_name: null,
  address1: null,
  address2: null,
  postal_code: null,
  city: null,
  country: null,
  vat_id: null,
  tax_number: null,
  small_business_note: null,
  vat_currency: null,
  vat_exchange_rate: null,
  vat_exchange_rate_source: null,
};

const NEEDED = ['legal_name', 'address1', 'postal_code', 'city', 'country'] as const;

/** The business that issues a document, with the data that EN 16931 and EU law require. */
export interface Seller extends Pick<Invoicing, 'address2' | 'vat_id' | 'tax_number' | 'small_business_note'> {
  legal_name: string;
  address1: string;
  postal_code: string;
  city: string;
  country: string;
}

/** An SQL expression for the settings, from `site_settings t`. */
export const invoicing: Sql = sql`${JSON.stringify(INITIAL)}::jsonb || t.invoicing`;

/** An SQL expression for the missing fields without which no document can be issued, from `site_settings t`. */
export const invoicingMissing: Sql = sql`array(
    select field from unnest(${[...NEEDED]}::text[]) with ordinality as needed (field, place)
    where t.invoicing ->> field is null order by place)
  || case when coalesce(t.invoicing ->> 'vat_id', t.invoicing ->> 'tax_number') is null then array['vat_id'] else '{}' end`;

export interface InvoicingState {
  invoicing: Invoicing;
  missing: string[];
}

export async function invoicingOf(shop: Shop): Promise<InvoicingState> {
  const found = await shop.one<InvoicingState>(
    sql`select ${invoicing} as invoicing, ${invoicingMissing} as missing from site_settings t
      where t.site_id = ${shop.siteId}`,
  );
  if (!found) throw new Error(`Site ${shop.siteId} has no settings.`);
  return found;
}

/** Returns the seller; undefined while required fields are missing. */
export function sellerOf({ invoicing, missing }: InvoicingState): Seller | undefined {
  const { legal_name, address1, postal_code, city, country, ...rest } = invoicing;
  if (missing.length > 0 || !legal_name || !address1 || !postal_code || !city || !country) return undefined;
  const { address2, vat_id, tax_number, small_business_note } = rest;
  return { legal_name, address1, address2, postal_code, city, country, vat_id, tax_number, small_business_note };
}
