import type { Pool } from 'pg';
import { type Connection, cut } from '../../db/connect.ts';
import { endBy } from '../../db/transaction.ts';
import { ShopError } from '../../shop/errors.ts';
import { inShop } from '../../shop/in-shop.ts';
import type { Actor, Shop, Tenant } from '../../shop/shop.ts';
import { DEFAULT_BODY_LIMIT_BYTES, type Operation } from '../contract/contract.ts';
import { tookTooLong } from './errors.ts';

/** Total time limit of a request in seconds; longer for one with a large body. */
export interface Deadlines {
  request: number;
  upload: number;
}

export const DEADLINES: Deadlines = { request: 30, upload: 120 };

/**
 * The deadline of a request. After it, the response is 503 `timeout` at once, and the request's connection is closed,
 * so that PostgreSQL rolls back. Once COMMIT is sent, the result is awaited, because `timeout` promises that nothing
 * changed. PostgreSQL cancels statements that were sent together with COMMIT at the deadline.
 */
export class Deadline {
  readonly #timer: NodeJS.Timeout;
  readonly #seconds: number;
  readonly #end: number;
  readonly #expiry = Promise.withResolvers<never>();
  #connection: Connection | undefined;
  #committing = false;
  #over = false;
  /** The deadline passed during a COMMIT: it applies if the work fails, is repeated or continues. */
  #missed = false;

  constructor(seconds: number) {
    // A request in time never awaits it.
    this.#expiry.promise.catch(() => undefined);
    this.#seconds = seconds;
    this.#end = Date.now() + seconds * 1_000;
    this.#timer = setTimeout(() => this.#expire(), seconds * 1_000);
  }

  /** Whether the request was already answered with a timeout. */
  get over(): boolean {
    return this.#over;
  }

  /** The result of the work. Throws `timeout` after the deadline. */
  async limit<T>(work: Promise<T>): Promise<T> {
    try {
      return await Promise.race([work, this.#expiry.promise]);
    } catch (error) {
      throw this.#missed && tookTooLong(error) ? tooLate(this.#seconds) : error;
    } finally {
      clearTimeout(this.#timer);
    }
  }

  /** Runs work that holds a connection; `commits` if a COMMIT follows. */
  async hold<T>(connection: Connection, { commits }: { commits: boolean }, work: () => Promise<T>): Promise<T> {
    this.#committing = false;
    if (this.#missed) this.#expire();
    this.#throwIfOver();
    this.#connection = connection;
    if (commits) endBy(connection, this.#end);
    try {
      const result = await work();
      this.#throwIfOver();
      this.#committing = commits;
      return result;
    } finally {
      this.#connection = undefined;
    }
  }

  /** One of several transactions of a request: between them the deadline applies. */
  async inShop<T>(db: Pool, tenant: Tenant, actor: Actor, work: (shop: Shop) => Promise<T>): Promise<T> {
    try {
      return await inShop(db, tenant, actor, work, {
        hold: (connection, run) => this.hold(connection, { commits: true }, run),
      });
    } finally {
      this.#committing = false;
    }
  }

  #expire(): void {
    if (this.#committing) {
      this.#missed = true;
      return;
    }
    this.#over = true;
    if (this.#connection) cut(this.#connection);
    this.#expiry.reject(tooLate(this.#seconds));
  }

  #throwIfOver(): void {
    if (this.#over) throw new ShopError('timeout', 'The request took too long.');
  }
}

function tooLate(seconds: number): ShopError {
  return new ShopError('timeout', `The request took longer than ${seconds} s and was rolled back. Retry it.`);
}

export function secondsFor({ bodyLimitBytes }: Operation, deadlines: Deadlines): number {
  return bodyLimitBytes > DEFAULT_BODY_LIMIT_BYTES ? deadlines.upload : deadlines.request;
}
