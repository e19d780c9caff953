import type { Pool } from 'pg';
import { type Connection, cut } from '../../db/connect.ts';
import { endBy } from '../../db/transaction.ts';
import { ShopError } from '../../shop/errors.ts';
import { inShop } from '../../shop/in-shop.ts';
import type { Actor, Shop, Tenant } from '../../shop/shop.ts';
import { DEFAULT_BODY_LIMIT_BYTES, type Operation } from '../contract/contract.ts';
import { tookTooLong } from './errors.ts';

/** Time limits of requests, in seconds. `upload` is for requests with a large body. */
export interface Deadlines {
  request: number;
  upload: number;
}

export const DEADLINES: Deadlines = { request: 30, upload: 120 };

/**
 * The deadline of a request. When it passes, the response is an immediate 503 `timeout`, and the request's connection
 * is closed so that PostgreSQL rolls back. After COMMIT was sent, its result is awaited instead, because `timeout`
 * promises that nothing has changed. PostgreSQL itself cancels statements that were sent together with COMMIT when the
 * deadline passes.
 */
export class Deadline {
  readonly #timer: NodeJS.Timeout;
  readonly #seconds: number;
  readonly #end: number;
  readonly #expiry = Promise.withResolvers<never>();
  #connection: Connection | undefined;
  #committing = false;
  #over = false;
  /**
   * Whether the deadline passed during a COMMIT. If so, it is enforced as soon as the work fails, is retried or
   * continues.
   */
  #missed = false;

  constructor(seconds: number) {
    // Requests that finish in time never await this promise, so its rejection must be handled here.
    this.#expiry.promise.catch(() => undefined);
    this.#seconds = seconds;
    this.#end = Date.now() + seconds * 1_000;
    this.#timer = setTimeout(() => this.#expire(), seconds * 1_000);
  }

  get over(): boolean {
    return this.#over;
  }

  /** Awaits the work. Throws `timeout` if the deadline passes first. */
  async limit<T>(work: Promise<T>): Promise<T> {
    try {
      return await Promise.race([work, this.#expiry.promise]);
    } catch (error) {
      throw this.#missed && tookTooLong(error) ? tooLate(this.#seconds) : error;
    } finally {
      clearTimeout(this.#timer);
    }
  }

  /** Runs work on a connection, which is closed if the deadline passes. `commits` is true if a COMMIT follows. */
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

  /** Runs one of several transactions of a request. The deadline is also checked between the transactions. */
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
