import type { ShowStock } from '@commerce-backend/spec';
import type { QueryResult } from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import { type Connection, query, send } from '../db/connect.ts';
import { type Listing, rowOf } from '../db/listing.ts';
import type { RowOf } from '../db/row-of.ts';
import { sendUnheard } from '../db/transaction.ts';

/** The tenant, read together with the credential. */
export interface Tenant extends RowOf<'sites', 'site_id' | 'merchant_id' | 'currency' | 'currency_digits'> {
  /** How much of the stock everybody except staff can see. */
  show_stock: ShowStock;
  /**
   * The catalogue's version. It changes with every committed change of the catalogue (`commerce.bump_catalog`), and
   * with the era.
   */
  catalog_version: string;
  /** The number of the database's era (db/era.ts), if read. */
  era?: number;
  /** The stock of the products in a cached response, if it was requested. */
  shown_stock?: string | null;
  /** Start time of the transaction, if it was requested. */
  moment?: string;
}

/** The tenant of requests that belong to no shop. No site has this site_id. */
export function outsideOfTenants(site_id: string): Tenant {
  const settings = { currency: '', currency_digits: 0, show_stock: 'exact', catalog_version: '' } as const;
  return { site_id, merchant_id: site_id, ...settings };
}

/** The caller of a request. */
export interface Actor {
  type: ActorType;
  /** Id of the person or credential, never a secret. */
  id: string;
  /** The calling customer, or the customer of the calling agent. */
  customer_id: string | null;
  /** The permissions of a calling agent with a token. */
  agent?: AgentPermissions;
  /** Identifies the browser on a checkout page, as in `checkouts.bound_browser`, in hexadecimal. */
  browser?: string;
  /** Whether the request has a private storefront token, so that it comes from the shop's own server. */
  by_private_token?: boolean;
}

/** The permissions that a customer granted an agent, read together with the token. */
export interface AgentPermissions {
  token_id: string;
  /** Product types and handles of collections, as the customer typed them; empty means all. */
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

/** The actor of jobs. */
export const SYSTEM: Actor = { type: 'system', id: '00000000-0000-0000-0000-000000000000', customer_id: null };

/**
 * One tenant on one connection, whose `app.site_id` limits row-level security to this tenant. Statements on its tables
 * contain `shop.siteId` too, so that row-level security is not the only protection.
 */
export class Shop {
  readonly siteId: string;
  readonly merchantId: string;
  readonly currency: string;
  readonly currencyDigits: number;
  readonly showStock: ShowStock;
  readonly catalogVersion: string;
  /** The number of the database's era (db/era.ts). */
  readonly era: number;
  /** The stock of the products in a cached response, if it was read. */
  readonly shownStock: string | null;
  readonly actorType: ActorType;
  /** Id of the staff member, customer or credential, never a secret. */
  readonly actorId: string;
  /** The calling customer, or the customer of the calling agent. */
  readonly customerId: string | null;
  /** Null unless an agent with a token calls. */
  readonly agent: AgentPermissions | null;
  /** Identifies the browser on a checkout page; null elsewhere. */
  readonly browser: string | null;
  /** Whether the request has a private storefront token, so that it comes from the shop's own server. */
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
    this.era = tenant.era ?? 0;
    this.shownStock = tenant.shown_stock ?? null;
    this.actorType = actor.type;
    this.actorId = actor.id;
    this.customerId = actor.customer_id;
    this.agent = actor.agent ?? null;
    this.browser = actor.browser ?? null;
    this.byPrivateToken = actor.by_private_token ?? false;
    this.#connection = connection;
  }

  /** Start time of the transaction, which `now()` returns in each of its statements. */
  async moment(): Promise<string> {
    const known = this.#tenant.moment ?? (await this.one<{ now: string }>(sql`select now()`))?.now;
    if (!known) throw new Error('PostgreSQL returned no time.');
    return known;
  }

  /** The profile of a calling guest agent; null for other callers. */
  get guestProfile(): string | null {
    return this.actorType === 'guest_agent' ? this.actorId : null;
  }

  /** The same shop and transaction with the system as actor. */
  asSystem(): Shop {
    return this.as(SYSTEM);
  }

  /** The same shop and transaction with another actor. */
  as(actor: Actor): Shop {
    return new Shop(this.#tenant, actor, this.#connection);
  }

  async rows<Row extends object>(statement: Sql): Promise<Row[]> {
    return (await this.#query<Row>(statement)).rows;
  }

  async one<Row extends object>(statement: Sql): Promise<Row | undefined> {
    return (await this.#query<Row>(statement)).rows[0];
  }

  /**
   * Returns the row with this key. One statement reads all keys of a list that are requested concurrently on this
   * connection.
   */
  async oneOf<Row extends object>(list: Listing<Row>, key: string): Promise<Row | undefined> {
    return rowOf(this.#connection, this.siteId, list, key);
  }

  /** Returns the number of affected rows. */
  async run(statement: Sql): Promise<number> {
    return (await this.#query(statement)).rowCount ?? 0;
  }

  async #query<Row extends object>(statement: Sql): Promise<QueryResult<Row>> {
    return query<Row>(this.#connection, statement);
  }

  /**
   * Sends a statement without waiting for its result. If the statement fails, the transaction fails too, so use it only
   * for statements that no constraint can reject.
   */
  write(statement: Sql): void {
    sendUnheard(this.#connection, statement);
  }

  /** Runs `part` in a savepoint. If it fails, only its effects are rolled back, and the error is rethrown. */
  async savepoint<T>(part: () => Promise<T>): Promise<T> {
    await send(this.#connection, 'savepoint part');
    try {
      const result = await part();
      await send(this.#connection, 'release savepoint part');
      return result;
    } catch (error) {
      // Also releases the savepoint, so that an outer savepoint of the same name becomes current again.
      await send(this.#connection, 'rollback to savepoint part; release savepoint part');
      throw error;
    }
  }
}
