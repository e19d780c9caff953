import sql, { type Sql } from 'sql-template-tag';
import { EU_COUNTRIES } from './usual-taxes.ts';

/** Whether a shop with `site_settings t` charges the tax of an EU country, or delivers to one. */
export const isEuShop: Sql = sql`(exists (
    select from jsonb_array_elements(t.tax_rates) rate where rate ->> 'country' = any(${EU_COUNTRIES}::text[]))
  or exists (
    select from shipping_options option
    where option.site_id = t.site_id and option.active and option.countries && ${EU_COUNTRIES}::text[]))`;

/**
 * Whether the page for withdrawals is on, in `site_settings t`. Default: on for EU shops, because EU law requires it.
 */
export const withdrawalPage: Sql = sql`coalesce(t.withdrawal_page, ${isEuShop})`;
