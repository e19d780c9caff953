import { LRUCache } from 'lru-cache';
import sql, { empty, type Sql } from 'sql-template-tag';
import { ERA } from '../../db/era.ts';
import type { OrNulls } from '../../db/nulls.ts';
import type { ResourcePath } from '../../shop/agents/issuers.ts';
import type { Closed } from '../../shop/errors.ts';
import { stockOfLists, stockOfProducts } from '../../shop/products/shown.ts';
import type { Tenant } from '../../shop/shop.ts';
import type { SiteLimits } from '../../shop/site-limits.ts';
import { hashToken } from '../../shop/tokens.ts';
import type { Operation } from '../contract/contract.ts';
import type { Caller, Claim } from './caller.ts';

export interface Known extends Omit<Tenant, 'catalog_version' | 'era' | 'shown_stock'> {
  id: string;
  scopes: string[];
  limits: SiteLimits;
  closed: Closed | null;
  allowed_origins: string[];
  /** The customer for whom an agent's token acts. */
  acts_for: string | null;
  categories: string[];
  /** The resource for which an agent's token was issued; null means all of the shop. */
  resource: ResourcePath | null;
  /** The host of the UCP platform that alone may use an agent's token; null means anyone. */
  platform_host: string | null;
  /** Set if a customer's token was sent together with the storefront token. */
  customer_id?: string | null;
  session_id?: string | null;
  customer_token_id?: string | null;
  ends_soon?: boolean | null;
  /** Set if a storefront token was sent together with an agent's token. */
  beside_id?: string | null;
  beside_scopes?: string[] | null;
  private_token_id: string | null;
}

export interface TokenRow extends Pick<Tenant, 'catalog_version' | 'era' | 'shown_stock' | 'moment'> {
  /** `OrNulls<Known>` as JSON. */
  known: string;
  /** The new value of `app.site_id`; empty for an unknown token. */
  tenant: string;
  key_state?: Caller['key_state'] | null;
}

/**
 * Caches parsed rows by their JSON. Every call still queries the database, so a revoked token is rejected immediately.
 * But most rows are equal, and parsing a row takes longer than the rest of the look-up.
 */
const parsed = new LRUCache<string, Readonly<OrNulls<Known>>>({ max: 1_000 });

export function parse(known: string): Readonly<OrNulls<Known>> {
  let said = parsed.get(known);
  if (!said) {
    said = Object.freeze(JSON.parse(known) as OrNulls<Known>);
    parsed.set(known, said);
  }
  return said;
}

/** Data that the look-up statement reads together with the token. */
export interface Beside {
  shown?: string[];
  /** Returns an SQL expression for the state of an Idempotency-Key of this principal in this site. */
  key?: ((site: Sql | string, principal: Sql | string) => Sql) | undefined;
}

/**
 * Builds the statement that looks up a token and the tokens sent with it. The statement sets the tenant for row-level
 * security, to empty text for an unknown token. `withPrincipal` adds the columns that `withClaim` needs.
 */
export function tokenLookUp(claim: Claim, operation: Operation, local: boolean, withPrincipal = false): Sql {
  const { columns, join, origins, privateId, principal } = besidesOf(claim);
  const named = withPrincipal ? sql`, ${principal} as principal` : empty;
  return sql`select (select row_to_json(known)::text from (select
          t.id, t.scopes, t.customer_id as acts_for, t.categories, t.resource, t.platform_host, s.site_id,
          case when ${origins} = '{}' then s.allowed_origins else ${origins} end as allowed_origins,
          s.merchant_id, s.currency, s.currency_digits, s.show_stock, s.limits, s.closed,
          ${privateId} as private_token_id
          ${columns}) as known) as known,
        ${versionOf(operation)} as catalog_version, ${ERA} as era,
        set_config('app.site_id', coalesce(t.site_id::text, ''), ${local}) as tenant${named}
      from (select 1) as always
      left join tokens t on ${tokenOf(claim)}
        and (${claim.site_id}::uuid is null or t.site_id = ${claim.site_id}::uuid)
      left join sites s on s.site_id = t.site_id ${join}`;
}

function tokenOf({ secret, kind }: Claim): Sql {
  return sql`t.token_hash = ${hashToken(secret)} and t.kind = ${kind}
        and t.revoked_at is null and (t.expires_at is null or t.expires_at > now())`;
}

function besidesOf(claim: Claim) {
  return claim.storefront_secret ? besideAgent(claim.storefront_secret) : customerOf(claim);
}

/** Joins the storefront token that was sent with an agent's token. Both must belong to the same site. */
function besideAgent(storefront_secret: string) {
  return {
    columns: sql`, p.id as beside_id, p.scopes as beside_scopes`,
    join: sql`left join tokens p on p.token_hash = ${hashToken(storefront_secret)} and p.kind = 'storefront'
        and p.site_id = t.site_id and p.revoked_at is null and (p.expires_at is null or p.expires_at > now())`,
    origins: sql`p.allowed_origins`,
    privateId: sql`case when p.private then p.id end`,
    principal: sql`t.id`,
  };
}

/** Joins the customer's token that was sent with the storefront token, if any. */
function customerOf({ customer_secret }: Claim) {
  const origins = sql`t.allowed_origins`;
  const privateId = sql`case when t.private then t.id end`;
  if (!customer_secret) {
    return { columns: empty, join: empty, origins, privateId, principal: sql`t.id` };
  }
  const endsSoon = sql`c.replaced_at is null and c.expires_at < now() + interval '2 minutes'`;
  return {
    origins,
    privateId,
    principal: sql`coalesce(c.customer_id, t.id)`,
    columns: sql`, c.customer_id, c.session_id, c.id as customer_token_id, ${endsSoon} as ends_soon`,
    join: sql`left join customer_tokens c on c.token_hash = ${hashToken(customer_secret)} and c.site_id = t.site_id
        and c.revoked_at is null and least(c.expires_at, c.renewable_until) > now()`,
  };
}

/**
 * Reads the stock of products in the look-up statement, so that stock and catalogue version come from one snapshot.
 * Row-level security hides the stock until the look-up has set the tenant, so the stock depends on `found.tenant`. For
 * an unknown token nothing is read.
 */
export function withStock(lookUp: Sql, shown: string[]): Sql {
  return reading(lookUp, stockOfProducts(shown, sql`found.tenant::uuid`));
}

/** Like `withStock`, for several lists of products. */
export function withStocks(lookUp: Sql, shown: string[][]): Sql {
  return reading(lookUp, stockOfLists(shown, sql`found.tenant::uuid`));
}

function reading(lookUp: Sql, stock: Sql): Sql {
  return sql`select found.*, stock.shown_stock from (${lookUp}) as found left join lateral (
      select case when found.tenant <> '' then ${stock} end as shown_stock
    ) as stock on true`;
}

/**
 * Claims an Idempotency-Key in the look-up statement, for the site and principal that it found, and returns the current
 * time. For an unknown token nothing is claimed.
 */
export function withClaim(lookUp: Sql, key: NonNullable<Beside['key']>): Sql {
  return sql`select found.known, found.catalog_version, found.era, found.tenant, now() as moment,
      case when found.tenant <> '' then ${key(sql`found.tenant::uuid`, sql`found.principal`)} end as key_state
    from (${lookUp}) as found`;
}

/**
 * Selects the catalogue's version, or an empty text for operations that do not use it, because the version requires two
 * more tables.
 */
export function versionOf(operation: Operation) {
  return operation.readsCatalogue ? sql`catalog_version(s.site_id)` : sql`''`;
}
