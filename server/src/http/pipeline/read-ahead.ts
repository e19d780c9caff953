import { isDeepStrictEqual } from 'node:util';
import { LRUCache } from 'lru-cache';
import type { Connection } from '../../db/connect.ts';
import { type Actor, Shop, type Tenant } from '../../shop/shop.ts';
import type { Caller, Claim } from '../callers/caller.ts';
import { namesOf, refusedCallers } from './sent-ahead.ts';

/**
 * Sends the first statement of a catalogue read together with the look-up of the credential: one round trip instead of two. It is
 * sent for the tenant that earlier look-ups of the credential found. Its result is not handed to any code before this look-up
 * has admitted the caller and found the same tenant with the same version of the catalogue; otherwise it is dropped. If the
 * look-up fails, the statement may run under another tenant's row-level security, so even "no rows" must not be believed.
 */

type Facts = Omit<Tenant, 'shown_stock'>;

/** What the last look-up of a credential found, and whether the one before found the same: in a busy import it never does. */
const known = new LRUCache<string, { facts: Facts; settled: boolean }>({ max: 1_000 });

/** The catalogue is the same for everybody. */
const ANYBODY: Actor = { type: 'anonymous', id: '', customer_id: null };

export class ReadAhead<T> {
  readonly #credential: string;
  readonly #caller: string;
  readonly #read: (shop: Shop) => Promise<T>;
  readonly #gate = Promise.withResolvers<void>();
  #begun: { facts: Facts; result: Promise<T> } | undefined;
  #holds = false;

  /** `read` must depend on nothing but its shop, and not on who acts in it. */
  constructor(claim: Claim, ip: string | undefined, read: (shop: Shop) => Promise<T>) {
    const { credential, caller } = namesOf(claim, ip);
    this.#credential = credential;
    this.#caller = caller;
    this.#read = read;
    this.#gate.promise.catch(() => undefined);
  }

  /** Call it right after the look-up has been sent on this connection. */
  begin(connection: Connection): void {
    const found = known.get(this.#credential);
    if (!found?.settled || refusedCallers.has(this.#caller)) return;
    const result = this.#read(new Shop(found.facts, ANYBODY, connection, this.#gate.promise));
    result.catch(() => undefined);
    this.#begun = { facts: found.facts, result };
  }

  /** Waits until the caller is admitted. */
  async admitted(admission: Promise<Caller>): Promise<Caller> {
    try {
      const caller = await admission;
      const facts = this.#learn(caller.tenant);
      refusedCallers.delete(this.#caller);
      this.#holds = this.#begun?.facts === facts;
      if (this.#holds) this.#gate.resolve();
      else this.#gate.reject(new Error('The tenant is not as it was expected.'));
      return caller;
    } catch (error) {
      refusedCallers.set(this.#caller, true);
      this.#gate.reject(error);
      throw error;
    }
  }

  /** The facts, as the same object for as long as they stay the same. */
  #learn({ shown_stock: _, ...found }: Tenant): Facts {
    const before = known.get(this.#credential)?.facts;
    const settled = isDeepStrictEqual(found, before);
    const facts = settled && before ? before : found;
    known.set(this.#credential, { facts, settled });
    return facts;
  }

  /** What was read ahead, or what is read now. Call it once the caller is admitted. */
  async result(shop: Shop): Promise<T> {
    if (this.#begun && this.#holds) return this.#begun.result;
    await this.end();
    return this.#read(shop);
  }

  /** Waits until nothing is under way any more: only then may others have the connection. */
  async end(): Promise<void> {
    await this.#begun?.result.catch(() => undefined);
  }
}
