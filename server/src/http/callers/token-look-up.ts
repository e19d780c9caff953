import { LRUCache } from 'lru-cache';
import sql, { empty, type Sql } from 'sql-template-tag';
import type { OrNulls } from '../../db/nulls.ts';
import type { Closed } from '../../shop/errors.ts';
import { stockOfLists, stockOfProducts } from '../../shop/products/shown.ts';
import type { Tenant } from '../../shop/shop.ts';
import type { SiteLimits } from '../../shop/site-limits.ts';
import { hashToken } from '../../shop/tokens.ts';
import type { Operation } from '../contract/contract.ts';
import type { Caller, Claim } from './caller.ts';

/** The statement that looks up a token, and its result. */

export interface Known extends Omit<Tenant, 'catalog_version' | 'shown_stock'> {
  id: string;
  scopes: string[];
  limits: SiteLimits;
  closed: Closed | null;
  allowed_origins: string[];
  /** The customer of an agent's token. */
  acts_for: string | null;
  categories: string[];
  /** The customer's token in addition to the storefront token, if sent. */
  customer_id?: string | null;
  session_id?: string | null;
  customer_token_id?: string | null;
  ends_soon?: boolean | null;
  /** The storefront token in addition to an agent's, if sent. */
  beside_id?: string | null;
  beside_scopes?: string[] | null;
  private_token_id: string | null;
}

export interface TokenRow extends Pick<Tenant, 'catalog_version' | 'shown_stock' | 'moment'> {
  /** Data of the token, as JSON: `OrNulls<Known>`. */
  known: string;
  /** Value of `app.site_id`; empty for an unknown token. */
  tenant: string;
  key_state?: Caller['key_state'] | null;
}

/**
 * Parsed rows by their text. Each call is still looked up, so that a revoked token fails at once. But most results
 * equal earlier ones, and parsing fourteen columns would cost more than the rest of the work on them.
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

/** What the look-up statement reads in addition to the token. */
export interface Beside {
  shown?: string[];
  /** An expression for the state of an Idempotency-Key of this principal in this site. */
  key?: ((site: Sql | string, principal: Sql | string) => Sql) | undefined;
}

/**
 * Looks up a token and the tokens sent with it, and sets the tenant for row-level security, to empty text for an
 * unknown token. `withPrincipal` adds the columns that `withClaim` needs.
 */
export function tokenLookUp(claim: Claim, operation: Operation, local: boolean, withPrincipal = false): Sql {
  const { columns, join, origins, privateId, principal } = besidesOf(claim);
  const named = withPrincipal ? sql`, ${principal} as principal` : empty;
  return sql`select (select row_to_json(known)::text from (select
          t.id, t.scopes, t.customer_id as acts_for, t.categories, s.site_id,
          case when ${origins} = '{}' then s.allowed_origins else ${origins} end as allowed_origins,
          s.merchant_id, s.currency, s.currency_digits, s.show_stock, s.limits, s.closed,
          ${privateId} as private_token_id
          ${columns}) as known) as known,
        ${versionOf(operation)} as catalog_version,
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

/** Adds the storefront token sent with an agent's token to the look-up. Both must belong to the same site. */
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

/** Adds the customer's token sent with the storefront token to the look-up, if there is one. */
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
 * Adds the stock of products to the look-up statement, so that stock and version come from the same snapshot. It is
 * read with the tenant that the look-up has just set: before that, row-level security would hide every row, and the
 * response would be built again. An unknown token sets no tenant, so nothing is read.
 */
export function withStock(lookUp: Sql, shown: string[]): Sql {
  return reading(lookUp, stockOfProducts(shown, sql`found.tenant::uuid`));
}

/** Like `withStock`, for several responses with different products; see `stockOfLists`. */
export function withStocks(lookUp: Sql, shown: string[][]): Sql {
  return reading(lookUp, stockOfLists(shown, sql`found.tenant::uuid`));
}

function reading(lookUp: Sql, stock: Sql): Sql {
  return sql`select found.*, stock.shown_stock from (${lookUp}) as found left join lateral (
      select case when found.tenant <> '' then ${stock} end as shown_stock
    ) as stock on true`;
}

/**
 * Adds the claim of an Idempotency-Key to the look-up, for the tenant that it has just set and the principal that it
 * found, and the current time. An unknown token claims nothing.
 */
export function withClaim(lookUp: Sql, key: NonNullable<Beside['key']>): Sql {
  return sql`select found.known, found.catalog_version, found.tenant, now() as moment,
      case when found.tenant <> '' then ${key(sql`found.tenant::uuid`, sql`found.principal`)} end as key_state
    from (${lookUp}) as found`;
}

/** The catalogue's version, which only cached reads need, because reading it takes two more tables. */
export function versionOf(operation: Operation) {
  return operation.cacheable ? sql`catalog_version(s.site_id)` : sql`''`;
}
