import { isDeepStrictEqual } from 'node:util';
import { LRUCache } from 'lru-cache';
import type { Connection } from '../../db/connect.ts';
import { type Actor, Shop, type Tenant } from '../../shop/shop.ts';
import type { Caller, Claim } from '../callers/caller.ts';
import { actorOf } from '../callers/callers.ts';
import { namesOf, refusedCallers } from './sent-ahead.ts';

/**
 * Begins the work of a mutation together with the look-up of its credential: what it sends first leaves with BEGIN and the look-up,
 * which is one round trip less. It is begun for the tenant and the actor that the last look-up of the credential found.
 *
 * Nothing of it is handed to any code before this look-up has admitted the caller, found the same tenant and actor, and found the
 * Idempotency-Key free. Otherwise its transaction is rolled back: with the refusal of the caller, or with `NotAsExpected`, after
 * which the request runs again in the usual order. Until then it only locks rows that the request itself names, and its shop sends
 * nothing any more once the caller is refused: the connection may serve another by then. Where callers are counted in Redis nothing
 * is begun, since those rows would stay locked while Redis is asked.
 */

interface Facts {
  tenant: Tenant;
  actor: Actor;
}

/** What the last look-up of a credential found. */
const known = new LRUCache<string, Facts>({ max: 1_000 });

/** What was begun must be undone, and the request must run in the usual order. */
export class NotAsExpected extends Error {}

export class WorkAhead<T> {
  readonly #credential: string;
  readonly #caller: string;
  readonly #facts: Facts | undefined;
  readonly #gate = Promise.withResolvers<void>();
  #begun: { facts: Facts; tenant: Tenant; result: Promise<T> } | undefined;

  constructor(claim: Claim, ip: string | undefined) {
    const { credential, caller } = namesOf(claim, ip);
    this.#credential = credential;
    this.#caller = caller;
    this.#facts = refusedCallers.has(this.#caller) ? undefined : known.get(this.#credential);
    this.#gate.promise.catch(() => undefined);
  }

  /** Whether `begin` begins anything. */
  get isExpected(): boolean {
    return this.#facts !== undefined;
  }

  /** What was begun; undefined when nothing was. Ask for it once the caller is admitted. */
  get result(): Promise<T> | undefined {
    return this.#begun?.result;
  }

  /**
   * Call it right after the look-up has been sent on this connection, in the same transaction. `work` must depend on nothing but its
   * shop and what the request itself says.
   */
  begin(connection: Connection, work: (shop: Shop) => Promise<T>): void {
    const facts = this.#facts;
    if (!facts) return;
    const tenant = { ...facts.tenant };
    const result = work(new Shop(tenant, facts.actor, connection, this.#gate.promise));
    result.catch(() => undefined);
    this.#begun = { facts, tenant, result };
  }

  /** Waits until the caller is admitted. Throws the refusal, or `NotAsExpected`. */
  async admitted(admission: Promise<Caller>): Promise<Caller> {
    try {
      const caller = await admission;
      refusedCallers.delete(this.#caller);
      this.#open(caller);
      return caller;
    } catch (error) {
      if (!(error instanceof NotAsExpected)) refusedCallers.set(this.#caller, true);
      this.#gate.reject(error);
      throw error;
    }
  }

  #open(caller: Caller): void {
    const { moment, ...tenant } = caller.tenant;
    const facts = { tenant, actor: actorOf(caller) };
    if (!this.#begun) {
      known.set(this.#credential, facts);
      return;
    }
    if (!isDeepStrictEqual(facts, this.#begun.facts)) {
      known.set(this.#credential, facts);
      throw new NotAsExpected('The caller is not who was expected.');
    }
    if (caller.key_state !== 'free') throw new NotAsExpected('The Idempotency-Key is not free.');
    this.#begun.tenant.moment = moment;
    this.#gate.resolve();
  }
}
