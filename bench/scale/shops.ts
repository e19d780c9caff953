import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { hashToken, mintToken } from '../../server/src/shop/tokens.ts';
import { type Goods, type Shopper, shopperAt } from '../flows.ts';
import type { Running, Site } from '../processes.ts';
import type { Surface } from './work.ts';

/** A shop to measure, with credentials for each of its APIs. */
export interface MeasuredShop {
  products: number;
  site: Site;
  agent_token: string;
  goods: Goods;
}

/**
 * Prepares a shop to be measured. Its credentials are inserted into the database, because creating them through the API
 * is not measured. The template keeps its own storefront, API and sync credentials.
 */
export async function openShop(
  db: pg.Client,
  template: Site,
  site_id: string,
  products: number,
): Promise<MeasuredShop> {
  const site = site_id === template.site_id ? template : await giveTokens(db, template, site_id);
  const agent_token = await giveAgent(db, site_id);
  const variants = await db.query<{ id: string }>(
    'select id from commerce.variants where site_id = $1 order by id limit 1000',
    [site_id],
  );
  const options = await db.query<{ id: string }>('select id from commerce.shipping_options where site_id = $1', [
    site_id,
  ]);
  const goods: Goods = {
    variant_ids: variants.rows.map(({ id }) => id),
    shipping_option_id: options.rows[0]?.id ?? '',
  };
  return { products, site, agent_token, goods };
}

/** Opens a client of one of the shop's APIs, on a persistent connection. */
export function clientOf(
  { url }: Running,
  { site, agent_token, goods }: MeasuredShop,
  as: Surface,
): Shopper & { leave(): void } {
  const { site_id, api_key, sync_secret, storefront_token } = site;
  const credentials = {
    storefront: { 'X-Site-ID': site_id, 'X-Service-Token': storefront_token },
    dashboard: { 'X-API-Key': api_key },
    sync: { 'X-Site-ID': site_id, 'X-Sync-Secret': sync_secret },
    agent: { Authorization: `Bearer ${agent_token}` },
  };
  return shopperAt(url, site, goods, credentials[as]);
}

async function giveTokens(db: pg.Client, template: Site, site_id: string): Promise<Site> {
  const site = {
    site_id,
    storefront_token: mintToken('storefront'),
    api_key: mintToken('api_key'),
    sync_secret: mintToken('sync'),
  };
  for (const [given, secret] of [
    [template.storefront_token, site.storefront_token],
    [template.api_key, site.api_key],
    [template.sync_secret, site.sync_secret],
  ] as const) {
    await db.query(
      `insert into commerce.tokens (site_id, id, kind, token_hash, secret_prefix, description, scopes)
       select $1, $2, kind, $3, secret_prefix, description, scopes from commerce.tokens where token_hash = $4`,
      [site_id, randomUUID(), hashToken(secret), hashToken(given)],
    );
  }
  return site;
}

async function giveAgent(db: pg.Client, site_id: string): Promise<string> {
  const [token, secret] = [randomUUID(), mintToken('agent')];
  const { rows } = await db.query<{ id: string }>('select id from commerce.customers where site_id = $1 limit 1', [
    site_id,
  ]);
  await db.query(
    `insert into commerce.tokens (site_id, id, kind, token_hash, secret_prefix, description, scopes, expires_at, customer_id)
     values ($1, $2, 'agent', $3, 'agt', 'Bench', '{catalog:read}', now() + interval '1 day', $4)`,
    [site_id, token, hashToken(secret), rows[0]?.id],
  );
  await db.query('insert into commerce.agent_tokens (site_id, id, consent_id, budget_cents) values ($1, $2, $3, 0)', [
    site_id,
    token,
    randomUUID(),
  ]);
  return secret;
}
