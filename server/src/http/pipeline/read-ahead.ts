import { LRUCache } from 'lru-cache';
import type { Connection } from '../../db/connect.ts';
import { type Actor, Shop, type Tenant } from '../../shop/shop.ts';
import { hashToken } from '../../shop/tokens.ts';
import type { Caller, Claim } from '../callers/caller.ts';

/**
 * Reads of the catalogue that leave together with the look-up of the credential, in one round trip instead of two. They are done
 * for the tenant that the last look-up of the same credential found, and count only if this look-up admits the caller and finds
 * exactly the same, with the same version of the catalogue. Row-level security guards them as any other statement: the look-up,
 * which runs first, sets the tenant.
 */

/** What the last look-up found, by a hash of the credential. Nothing for a caller who was refused. */
const expected = new LRUCache<string, Tenant>({ max: 1_000 });

/** The catalogue says the same to everybody. */
const ANYBODY: Actor = { type: 'anonymous', id: '', customer_id: null };

export class ReadAhead<T> {
  readonly #key: string;
  readonly #read: (shop: Shop) => Promise<T>;
  #begun: { tenant: Tenant; result: Promise<T> } | undefined;

  /** `read` must depend on nothing but its shop, and not on who acts in it. */
  constructor({ secret, customer_secret, storefront_secret }: Claim, read: (shop: Shop) => Promise<T>) {
    this.#key = hashToken(`${secret} ${customer_secret} ${storefront_secret}`).toString('base64url');
    this.#read = read;
  }

  /** Call it when the look-up has been sent on this connection. */
  begin(connection: Connection): void {
    const tenant = expected.get(this.#key);
    if (!tenant) return;
    const result = this.#read(new Shop(tenant, ANYBODY, connection));
    // Nobody waits for it when the caller is refused.
    result.catch(() => undefined);
    this.#begun = { tenant, result };
  }

  /** Waits until the caller is admitted. */
  async admitted(admission: Promise<Caller>): Promise<Caller> {
    try {
      const caller = await admission;
      expected.set(this.#key, caller.tenant);
      return caller;
    } catch (error) {
      expected.delete(this.#key);
      throw error;
    }
  }

  /** What was read ahead, or what is read now. */
  async result(shop: Shop, tenant: Tenant): Promise<T> {
    if (this.#begun && isSame(this.#begun.tenant, tenant)) return this.#begun.result;
    await this.end();
    return this.#read(shop);
  }

  /** Waits until nothing is under way: only then may others have the connection. */
  async end(): Promise<void> {
    await this.#begun?.result.catch(() => undefined);
  }
}

function isSame(a: Tenant, b: Tenant): boolean {
  return (
    a.site_id === b.site_id &&
    a.merchant_id === b.merchant_id &&
    a.currency === b.currency &&
    a.currency_digits === b.currency_digits &&
    a.show_stock === b.show_stock &&
    a.catalog_version === b.catalog_version
  );
}
