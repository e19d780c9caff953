import type { Pool } from 'pg';
import { type Connection, query } from '../../db/connect.ts';
import { withConnection } from '../../db/transaction.ts';
import type { Operation } from '../contract/contract.ts';
import type { Claim } from './caller.ts';
import { type TokenRow, tokenLookUp, withStock, withStocks } from './token-look-up.ts';

export type Found = TokenRow | undefined;

/** A request that waits for the look-up of its token. */
interface Waiting {
  /** The products whose stock is read in the same look-up. */
  shown: string[];
  resolve(found: Found): void;
  reject(error: unknown): void;
}

/** The waiting requests that have the same credential. */
interface Queue {
  waiting: Waiting[];
  /** The number of running look-ups, and when the last one began. */
  underWay: number;
  begun: number;
  /** Whether a timer is set for requests that wait too long. */
  isWatched: boolean;
}

/** How long a look-up may delay other requests. */
const MAX_WAIT_MS = 10;
/** Maximum number of products per statement, unless one response has more. */
const MAX_PRODUCTS = 500;
/** Whether a claim's look-up may be shared. That of public reads may; calls of agents are recorded one by one. */
export function sharesLookUps({ kind }: Claim): boolean {
  return kind === 'storefront' || kind === 'sync';
}

/**
 * Looks up the tokens of public reads. Requests with the same credentials that arrive during a look-up wait until it
 * ends, and then share one statement. That statement is sent after all of them have arrived, so each is checked against
 * the current state: a token revoked before is rejected. If nothing else waits, a token is looked up at once.
 */
export class SharedLookUps {
  readonly #db: Pool;
  readonly #local: boolean;
  readonly #queues = new Map<string, Queue>();

  /** `local` is true if a connection is used for one transaction only. */
  constructor(db: Pool, local: boolean) {
    this.#db = db;
    this.#local = local;
  }

  /** Looks a token up, with the stock of the products in `shown`. The operation must be cacheable. */
  find(claim: Claim, operation: Operation, shown: string[]): Promise<Found> {
    const name = `${claim.kind} ${claim.secret} ${claim.customer_secret} ${claim.site_id}`;
    const queue = this.#queues.get(name) ?? { waiting: [], underWay: 0, begun: 0, isWatched: false };
    this.#queues.set(name, queue);
    const { promise, resolve, reject } = Promise.withResolvers<Found>();
    queue.waiting.push({ shown, resolve, reject });
    const serve = () => {
      void this.#serve(queue, claim, operation).then(() => {
        if (queue.underWay === 0) this.#queues.delete(name);
      });
    };
    if (queue.underWay > 0) serveInTime(queue, serve);
    else serve();
    return promise;
  }

  /** Looks up all waiting requests, until there are none. */
  async #serve(queue: Queue, claim: Claim, operation: Operation): Promise<void> {
    queue.underWay += 1;
    while (queue.waiting.length > 0) {
      queue.begun = performance.now();
      let served: Waiting[] = [];
      try {
        await withConnection(this.#db, async (connection) => {
          // The requests are chosen only now, so that those that arrived while all connections were in use are served
          // too.
          served = nextOf(queue);
          if (served.length === 0) return;
          const found = await this.#lookUp(connection, claim, operation, served);
          for (const { shown, resolve } of served) resolve(found.get(shown));
        });
      } catch (error) {
        // If there is no connection, no request can be served.
        for (const { reject } of served.length > 0 ? served : queue.waiting.splice(0)) reject(error);
      }
    }
    queue.underWay -= 1;
  }

  async #lookUp(
    connection: Connection,
    claim: Claim,
    operation: Operation,
    served: Waiting[],
  ): Promise<Map<string[], Found>> {
    const lookUp = tokenLookUp(claim, operation, this.#local);
    const lists = [...new Set(served.map(({ shown }) => shown))];
    const [list = []] = lists;
    const alone = list.length > 0 ? withStock(lookUp, list) : lookUp;
    const { rows } = await query<TokenRow>(connection, lists.length > 1 ? withStocks(lookUp, lists) : alone);
    const [row] = rows;
    const stocks = row?.shown_stock?.split(';') ?? [];
    return new Map(lists.map((one, i) => [one, row && { ...row, shown_stock: stocks[i] ?? null }]));
  }
}

/** Starts another look-up for waiting requests if none has begun within the waiting time. */
function serveInTime(queue: Queue, serve: () => void): void {
  if (queue.isWatched) return;
  queue.isWatched = true;
  setTimeout(() => {
    queue.isWatched = false;
    if (queue.waiting.length === 0) return;
    if (performance.now() - queue.begun < MAX_WAIT_MS) serveInTime(queue, serve);
    else serve();
  }, MAX_WAIT_MS).unref();
}

/**
 * The waiting requests that fit into one statement, in order. All requests for a cached response share its list of
 * products.
 */
function nextOf({ waiting }: Queue): Waiting[] {
  const lists = new Set<string[]>();
  let products = 0;
  const beyond = waiting.findIndex(({ shown }) => {
    if (!lists.has(shown)) products += shown.length;
    lists.add(shown);
    return products > MAX_PRODUCTS && lists.size > 1;
  });
  return waiting.splice(0, beyond < 0 ? waiting.length : beyond);
}
