import type { ApiKeyScope, SyncKeyScope, ValidationErrorItem } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import { type Connection, query } from '../../db/connect.ts';
import type { RowOf } from '../../db/row-of.ts';
import { bodyMistake, ValidationError } from '../errors.ts';
import { currencyDigits, isCurrency } from '../money.ts';
import { hashPassword, randomPassword } from '../passwords/passwords.ts';
import { Shop, type Tenant } from '../shop.ts';
import * as credentials from './credentials.ts';

export interface NewSite {
  name: string;
  currency: string;
  /** The first staff member. A person who has a login can then work for this site too. */
  staff: { email: string; name: string };
  password: NewPassword;
  /** Scopes of the first API key. Default: `read` and `write`. */
  key_scopes?: ApiKeyScope[];
  /** Scopes of the first sync key. Default: `read`. */
  sync_scopes?: SyncKeyScope[];
}

export interface NewPassword {
  text: string;
  hash: string;
}

/** Generates and hashes a password. Call it before the transaction of `createSite`, because hashing is slow. */
export async function mintPassword(): Promise<NewPassword> {
  const text = randomPassword();
  return { text, hash: await hashPassword(text) };
}

/** Credentials of a new site. Only `createSite` returns the secrets. */
export interface SiteCredentials {
  site_id: string;
  merchant_id: string;
  storefront_token: string;
  api_key: string;
  sync_key_id: string;
  sync_secret: string;
  /** Null for a person who already has a login; their password stays the same. */
  staff: { email: string; password: string | null };
}

/** A new shop, usable on the connection that created it. */
export interface OpenedSite {
  shop: Shop;
  credentials: SiteCredentials;
}

/**
 * Creates a site with settings, staff login, storefront token, API key and sync key. Must run in a transaction, whose
 * tenant is then the new site. Throws a ValidationError for an invalid currency, name or e-mail address.
 */
export async function createSite(connection: Connection, site: NewSite): Promise<OpenedSite> {
  const { name, currency, staff, key_scopes: scopes = ['read', 'write'] } = site;
  const mistakes = siteMistakes(site);
  if (mistakes.length > 0) throw new ValidationError(mistakes);
  const tenant: Tenant = {
    site_id: uuidv7(),
    merchant_id: uuidv7(),
    currency,
    currency_digits: currencyDigits(currency),
    show_stock: 'exact',
    catalog_version: '',
  };
  await query(connection, sql`select set_config('app.site_id', ${tenant.site_id}, true)`);
  await query(
    connection,
    sql`insert into sites (site_id, merchant_id, merchant_name, currency, currency_digits)
      values (${tenant.site_id}, ${tenant.merchant_id}, ${name}, ${currency}, ${tenant.currency_digits})`,
  );
  await query(connection, sql`insert into site_settings (site_id, name) values (${tenant.site_id}, ${name})`);
  const { staff_id, password } = await hire(connection, tenant.site_id, site);
  const shop = new Shop(tenant, { type: 'staff', id: staff_id, customer_id: null }, connection);
  const storefront = await credentials.createStorefrontToken(shop, { description: 'Storefront' });
  const apiKey = await credentials.createApiKey(shop, { description: 'First API key', scopes });
  const syncKey = await credentials.createSyncKey(shop, { description: 'First sync key', scopes: site.sync_scopes });
  return {
    shop,
    credentials: {
      site_id: tenant.site_id,
      merchant_id: tenant.merchant_id,
      storefront_token: storefront.secret,
      api_key: apiKey.secret,
      sync_key_id: syncKey.key_id,
      sync_secret: syncKey.secret,
      staff: { email: staff.email, password },
    },
  };
}

const MAX_NAME = 255;
const MAX_EMAIL = 254;

function siteMistakes({ name, currency, staff }: NewSite): ValidationErrorItem[] {
  const mistakes: ValidationErrorItem[] = [];
  if (!isCurrency(currency)) {
    mistakes.push(bodyMistake(['currency'], 'value_error', `${currency} is not an active ISO 4217 currency code.`));
  }
  for (const [path, text] of [
    [['name'], name],
    [['staff', 'name'], staff.name],
  ] as const) {
    if (text.trim() !== '' && text.length <= MAX_NAME) continue;
    mistakes.push(bodyMistake([...path], 'value_error', `A name must have 1 to ${MAX_NAME} characters.`));
  }
  if (staff.email.length > MAX_EMAIL || !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(staff.email)) {
    mistakes.push(
      bodyMistake(['staff', 'email'], 'value_error', `${staff.email.slice(0, 100)} is not an e-mail address.`),
    );
  }
  return mistakes;
}

/** Makes a person the owner of the site, and creates a login if they have none. */
async function hire(connection: Connection, site_id: string, { staff, password }: NewSite) {
  const { email, name } = staff;
  const hired = await query<RowOf<'staff', 'id'>>(
    connection,
    sql`insert into staff (id, email, name, password_hash) values (${uuidv7()}, ${email}, ${name}, ${password.hash})
      on conflict (lower(email)) do nothing returning id`,
  );
  const known = hired.rows[0] ? undefined : await staffByEmail(connection, email);
  const staff_id = hired.rows[0]?.id ?? known?.id;
  if (!staff_id) throw new Error(`The login ${email} was deleted concurrently.`);
  await query(
    connection,
    sql`insert into staff_memberships (staff_id, site_id, role) values (${staff_id}, ${site_id}, 'owner')`,
  );
  return { staff_id, password: known ? null : password.text };
}

async function staffByEmail(connection: Connection, email: string) {
  const { rows } = await query<RowOf<'staff', 'id'>>(
    connection,
    sql`select id from staff where lower(email) = lower(${email})`,
  );
  return rows[0];
}
