import type { ShowStock } from '@commerce-backend/spec';
import type { QueryResult } from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import { type Connection, query, send } from '../db/connect.ts';
import { type Listing, rowOf } from '../db/listing.ts';
import type { RowOf } from '../db/row-of.ts';
import { sendUnheard } from '../db/transaction.ts';

/** What the credential's look-up returns about the tenant, so that no work has to ask again. */
export interface Tenant extends RowOf<'sites', 'site_id' | 'merchant_id' | 'currency' | 'currency_digits'> {
  /** What everybody but the merchant is shown of its stock. */
  show_stock: ShowStock;
  /** Changes with every committed change of the catalogue (see `commerce.bump_catalog`). */
  catalog_version: string;
  /** The stock of the products of a cached answer, where that was asked for. */
  shown_stock?: string | null;
  /** When the transaction began, where that was asked for. */
  moment?: string;
}

/** For calls that belong to no tenant, whose site_id is that of nobody. */
export function outsideOfTenants(site_id: string): Tenant {
  const settings = { currency: '', currency_digits: 0, show_stock: 'exact', catalog_version: '' } as const;
  return { site_id, merchant_id: site_id, ...settings };
}

/** Who acts in a shop. */
export interface Actor {
  type: ActorType;
  /** The id of the person or of the credential, never a secret. */
  id: string;
  /** The customer who acts, or for whom an agent does; null for guests and for everyone else. */
  customer_id: string | null;
  /** What an agent's token allows it; absent for everyone else. */
  agent?: Mandate;
  /** The browser that visits a checkout's page, as `checkouts.bound_browser` stores it, in hexadecimal. */
  browser?: string;
  /** The call comes with a private storefront token: from the shop's own server. */
  by_private_token?: boolean;
}

/** What a customer has allowed an agent, as far as the credential's look-up returns it. */
export interface Mandate {
  token_id: string;
  /** Product types and handles of collections, as the customer wrote them; empty means all. */
  categories: string[];
  scopes: string[];
}

export type ActorType =
  | 'agent'
  | 'anonymous'
  | 'guest_agent'
  | 'staff'
  | 'api_key'
  | 'storefront'
  | 'customer'
  | 'sync'
  | 'system';

/** The shop itself: jobs, and what expires. */
export const SYSTEM: Actor = { type: 'system', id: '00000000-0000-0000-0000-000000000000', customer_id: null };

/**
 * One tenant seen through one connection, on which `app.site_id` is set: row-level security shows only this tenant. Statements
 * name `shop.siteId` themselves as the first wall; the setting is the third.
 */
export class Shop {
  readonly siteId: string;
  readonly merchantId: string;
  readonly currency: string;
  readonly currencyDigits: number;
  readonly showStock: ShowStock;
  readonly catalogVersion: string;
  /** The stock of the products of a cached answer, as of that version, where it was read. */
  readonly shownStock: string | null;
  readonly actorType: ActorType;
  /** Who acts: the id of the member of staff, of the customer or of the credential, never a secret. */
  readonly actorId: string;
  /** The logged-in customer who acts, or for whom an agent does; null for guests and for everyone else. */
  readonly customerId: string | null;
  /** The agent who acts; null when people act. */
  readonly agent: Mandate | null;
  /** The browser that visits a checkout's page; null everywhere else. */
  readonly browser: string | null;
  /** Whether the shop's own server calls, with a private storefront token. */
  readonly byPrivateToken: boolean;
  readonly #tenant: Tenant;
  readonly #connection: Connection;

  constructor(tenant: Tenant, actor: Actor, connection: Connection) {
    this.#tenant = tenant;
    this.siteId = tenant.site_id;
    this.merchantId = tenant.merchant_id;
    this.currency = tenant.currency;
    this.currencyDigits = tenant.currency_digits;
    this.showStock = tenant.show_stock;
    this.catalogVersion = tenant.catalog_version;
    this.shownStock = tenant.shown_stock ?? null;
    this.actorType = actor.type;
    this.actorId = actor.id;
    this.customerId = actor.customer_id;
    this.agent = actor.agent ?? null;
    this.browser = actor.browser ?? null;
    this.byPrivateToken = actor.by_private_token ?? false;
    this.#connection = connection;
  }

  /** When the transaction began: what `now()` is in each of its statements. */
  async moment(): Promise<string> {
    const known = this.#tenant.moment ?? (await this.one<{ now: string }>(sql`select now()`))?.now;
    if (!known) throw new Error('PostgreSQL did not tell the time.');
    return known;
  }

  /** The profile of the agent who acts without a token; null for everyone else. */
  get guestProfile(): string | null {
    return this.actorType === 'guest_agent' ? this.actorId : null;
  }

  /** The same shop in the same transaction, acting as the system: for what expires. */
  asSystem(): Shop {
    return this.as(SYSTEM);
  }

  /** The same shop in the same transaction, on behalf of the actor who began what is finished now. */
  as(actor: Actor): Shop {
    return new Shop(this.#tenant, actor, this.#connection);
  }

  /** All rows of a statement. */
  async rows<Row extends object>(statement: Sql): Promise<Row[]> {
    return (await this.#query<Row>(statement)).rows;
  }

  /** The first row, or nothing. */
  async one<Row extends object>(statement: Sql): Promise<Row | undefined> {
    return (await this.#query<Row>(statement)).rows[0];
  }

  /** The row of a key, from one statement for all the keys of this list that are asked for together on this connection. */
  async oneOf<Row extends object>(list: Listing<Row>, key: string): Promise<Row | undefined> {
    return rowOf(this.#connection, this.siteId, list, key);
  }

  /** Runs a statement for its effect; returns how many rows it touched. */
  async run(statement: Sql): Promise<number> {
    return (await this.#query(statement)).rowCount ?? 0;
  }

  async #query<Row extends object>(statement: Sql): Promise<QueryResult<Row>> {
    return query<Row>(this.#connection, statement);
  }

  /** Runs a statement that cannot refuse anything, without a round trip: the transaction fails if the statement does. */
  write(statement: Sql): void {
    sendUnheard(this.#connection, statement);
  }

  /** Runs a part that may fail by itself: its error is rethrown, and only its effects are undone. */
  async savepoint<T>(part: () => Promise<T>): Promise<T> {
    await send(this.#connection, 'savepoint part');
    try {
      const result = await part();
      await send(this.#connection, 'release savepoint part');
      return result;
    } catch (error) {
      // Released as well: within another part of this name, the outer one is the current one again.
      await send(this.#connection, 'rollback to savepoint part; release savepoint part');
      throw error;
    }
  }
}
