import type { Pool } from 'pg';
import { type Connection, query } from '../../db/connect.ts';
import { withConnection } from '../../db/transaction.ts';
import type { Operation } from '../contract/contract.ts';
import type { Claim } from './caller.ts';
import { type TokenRow, tokenLookUp, withStock, withStocks } from './token-look-up.ts';

type Found = TokenRow | undefined;

/** A request that waits for the look-up of its token, and the products whose stock it wants. */
interface Waiting {
  shown: string[];
  resolve(found: Found): void;
  reject(error: unknown): void;
}

/** The requests with one credential. */
interface Company {
  waiting: Waiting[];
  /** How many look-ups are under way, and when the last one began. */
  underWay: number;
  begun: number;
}

/** A look-up that takes longer does not keep others waiting. */
const PATIENCE_MS = 20;
/** So many products' stock is read by one statement, unless one answer has more. */
const MAX_PRODUCTS = 500;

/**
 * Looks up the tokens of requests that need nothing else of the database. Those that come in with the same credentials while a
 * look-up of these is under way wait for its end, and are then looked up together, by one statement. It is sent after each of
 * them has come in, so each is judged by what holds then: a token that was revoked before is unknown. Without company, a token
 * is looked up at once.
 */
export class SharedLookUps {
  readonly #db: Pool;
  readonly #local: boolean;
  readonly #companies = new Map<string, Company>();

  /** `local` where a connection is kept for a transaction only. */
  constructor(db: Pool, local: boolean) {
    this.#db = db;
    this.#local = local;
  }

  /** What is known of a token, with the stock of these products. The operation is one of those whose answers are cached. */
  find(claim: Claim, operation: Operation, shown: string[]): Promise<Found> {
    const name = `${claim.kind} ${claim.secret} ${claim.customer_secret} ${claim.site_id}`;
    const company = this.#companies.get(name) ?? { waiting: [], underWay: 0, begun: 0 };
    this.#companies.set(name, company);
    return new Promise((resolve, reject) => {
      company.waiting.push({ shown, resolve, reject });
      if (company.underWay > 0 && performance.now() - company.begun < PATIENCE_MS) return;
      void this.#serve(company, claim, operation).then(() => {
        if (company.underWay === 0) this.#companies.delete(name);
      });
    });
  }

  /** Looks up for all who wait, until nobody does. */
  async #serve(company: Company, claim: Claim, operation: Operation): Promise<void> {
    company.underWay += 1;
    while (company.waiting.length > 0) {
      company.begun = performance.now();
      let served: Waiting[] = [];
      try {
        await withConnection(this.#db, async (connection) => {
          // Only now: whoever came in while all connections were taken is served as well.
          served = nextOf(company);
          if (served.length > 0) await this.#lookUp(connection, claim, operation, served);
        });
      } catch (error) {
        // Without a connection, nobody can be served.
        for (const { reject } of served.length > 0 ? served : company.waiting.splice(0)) reject(error);
      }
    }
    company.underWay -= 1;
  }

  async #lookUp(connection: Connection, claim: Claim, operation: Operation, served: Waiting[]): Promise<void> {
    const lookUp = tokenLookUp(claim, operation, this.#local);
    const lists = [...new Set(served.map(({ shown }) => shown))];
    const [list = []] = lists;
    const alone = list.length > 0 ? withStock(lookUp, list) : lookUp;
    const { rows } = await query<TokenRow>(connection, lists.length > 1 ? withStocks(lookUp, lists) : alone);
    const [row] = rows;
    const stocks = row?.shown_stock?.split(';') ?? [];
    const stockOf = new Map(lists.map((one, i) => [one, stocks[i] ?? null]));
    for (const { shown, resolve } of served) resolve(row && { ...row, shown_stock: stockOf.get(shown) ?? null });
  }
}

/** The first of those who wait, as many as one statement serves. Cached answers have one list of products for all who want them. */
function nextOf({ waiting }: Company): Waiting[] {
  const lists = new Set<string[]>();
  let products = 0;
  const beyond = waiting.findIndex(({ shown }) => {
    if (!lists.has(shown)) products += shown.length;
    lists.add(shown);
    return products > MAX_PRODUCTS && lists.size > 1;
  });
  return waiting.splice(0, beyond < 0 ? waiting.length : beyond);
}
