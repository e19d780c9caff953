import { isDeepStrictEqual } from 'node:util';
import { LRUCache } from 'lru-cache';
import type { Connection } from '../../db/connect.ts';
import { type Actor, Shop, type Tenant } from '../../shop/shop.ts';
import type { Caller, Claim } from '../callers/caller.ts';
import { actorOf } from '../callers/callers.ts';
import { NotAsExpected, type Seen } from '../callers/token-look-up.ts';
import { namesOf, refusedCallers } from './sent-ahead.ts';

/**
 * What is done for a mutation on the strength of the last look-up of its credential. The look-up itself only asks whether the rows
 * that it read then are still the same (`lookUpSeen`).
 *
 * Where `begins` is true, the work begins together with the look-up: what it sends first leaves with BEGIN and the look-up, which is
 * one round trip less. It is begun for the tenant and the actor that the last look-up found.
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
  seen: Seen | undefined;
}

/**
 * What the last look-up of a credential found. It is forgotten after a minute, in which `last_used_at` changes the row anyway: a
 * database that is restored from a backup gives the numbers of transactions out again.
 */
const known = new LRUCache<string, Facts>({ max: 1_000, ttl: 60_000 });

export class WorkAhead<T> {
  /** Whether `begin` begins anything. */
  readonly begins: boolean;
  readonly #credential: string;
  readonly #caller: string;
  readonly #facts: Facts | undefined;
  readonly #gate = Promise.withResolvers<void>();
  #begun: { facts: Facts; tenant: Tenant; result: Promise<T> } | undefined;

  constructor(claim: Claim, ip: string | undefined, begins: boolean) {
    const { credential, caller } = namesOf(claim, ip);
    this.#credential = credential;
    this.#caller = caller;
    this.#facts = refusedCallers.has(this.#caller) ? undefined : known.get(this.#credential);
    this.begins = begins && this.#facts !== undefined;
    this.#gate.promise.catch(() => undefined);
  }

  /** What the look-up may take as read. */
  get seen(): Seen | undefined {
    return this.#facts?.seen;
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
    if (!facts || !this.begins) return;
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
      else if (!error.counted) known.delete(this.#credential);
      this.#gate.reject(error);
      throw error;
    }
  }

  #open(caller: Caller): void {
    const { moment, ...tenant } = caller.tenant;
    const actor = actorOf(caller);
    const { read, principal_id } = caller;
    const facts = { tenant, actor, seen: read && { ...read, site_id: tenant.site_id, principal_id } };
    if (!this.#begun) {
      known.set(this.#credential, facts);
      return;
    }
    if (!isSame(facts, this.#begun.facts)) {
      known.set(this.#credential, facts);
      throw new NotAsExpected('The caller is not who was expected.', true);
    }
    if (caller.key_state !== 'free') throw new NotAsExpected('The Idempotency-Key is not free.', true);
    this.#begun.tenant.moment = moment;
    this.#gate.resolve();
  }
}

/** Where the same rows were read, what follows from them is the same. */
function isSame(facts: Facts, expected: Facts): boolean {
  if (facts.seen && facts.seen.version === expected.seen?.version) return true;
  return isDeepStrictEqual([facts.tenant, facts.actor], [expected.tenant, expected.actor]);
}
