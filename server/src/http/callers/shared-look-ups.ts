import type { Pool } from 'pg';
import { type Connection, query } from '../../db/connect.ts';
import { withConnection } from '../../db/transaction.ts';
import type { Operation } from '../contract/contract.ts';
import type { Claim } from './caller.ts';
import { type TokenRow, tokenLookUp, withStock, withStocks } from './token-look-up.ts';

export type Found = TokenRow | undefined;

/** A request that waits for its token's look-up. */
interface Waiting {
  /** The products whose stock is read in the same look-up. */
  shown: string[];
  resolve(found: Found): void;
  reject(error: unknown): void;
}

/** Requests with the same credentials. */
interface Queue {
  waiting: Waiting[];
  /** Number of running look-ups. */
  underWay: number;
  begun: number;
  /** Whether a timer is set that limits the waiting time. */
  isWatched: boolean;
}

/** Time that requests wait for a running look-up before another one starts. */
const MAX_WAIT_MS = 10;
/** Maximum number of products per statement, unless one response has more. */
const MAX_PRODUCTS = 500;
/**
 * Whether requests with this kind of credential may share a look-up. Calls of agents may not, because each is audited.
 */
export function sharesLookUps({ kind }: Claim): boolean {
  return kind === 'storefront' || kind === 'sync';
}

/**
 * Looks up the tokens of public reads. Requests with the same credentials that arrive during a look-up wait until it
 * ends and then share the next statement. A look-up is never shared with a request that arrived after it was sent, so a
 * revoked token is rejected immediately.
 */
export class SharedLookUps {
  readonly #db: Pool;
  readonly #local: boolean;
  readonly #queues = new Map<string, Queue>();

  /** `local` is true if each transaction may get another connection. */
  constructor(db: Pool, local: boolean) {
    this.#db = db;
    this.#local = local;
  }

  /** Looks up a token and the stock of the products in `shown`. The operation must be cacheable. */
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

  /** Serves waiting requests until the queue is empty. */
  async #serve(queue: Queue, claim: Claim, operation: Operation): Promise<void> {
    queue.underWay += 1;
    while (queue.waiting.length > 0) {
      queue.begun = performance.now();
      let served: Waiting[] = [];
      try {
        await withConnection(this.#db, async (connection) => {
          // Chooses the requests only after a connection is available, to include those that arrived in the meantime.
          served = nextOf(queue);
          if (served.length === 0) return;
          const found = await this.#lookUp(connection, claim, operation, served);
          for (const { shown, resolve } of served) resolve(found.get(shown));
        });
      } catch (error) {
        // Without a connection, all waiting requests fail.
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

/** Starts another look-up if requests have waited longer than `MAX_WAIT_MS`. */
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
 * The waiting requests whose products fit into one statement, in order of arrival. Requests for the same cached
 * response share one list of products.
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
