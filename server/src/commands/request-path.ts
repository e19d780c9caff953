import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import sql from 'sql-template-tag';
import { inTransaction, queryAlone } from '../db/transaction.ts';
import type { Claim } from '../http/callers/caller.ts';
import { authenticate } from '../http/callers/callers.ts';
import { operationOf } from '../http/contract/contract.ts';
import { claimOf } from '../http/pipeline/idempotency.ts';
import { ShopError } from '../shop/errors.ts';
import { mintToken } from '../shop/tokens.ts';

/**
 * Runs the first statement of each mutation with an unknown token. The statement looks up the token and claims the
 * Idempotency-Key. Returns undefined if the token is rejected as expected, otherwise the error message. Use a new
 * connection, on which PostgreSQL plans the statement before `app.site_id` exists.
 */
export async function faultOfRequests(db: pg.Pool): Promise<string | undefined> {
  try {
    await inTransaction(db, (connection) => authenticate(connection, UNKNOWN, OPERATION, true, { key: newKey() }));
  } catch (error) {
    if (error instanceof ShopError && error.code === 'invalid_token') return undefined;
    const { code = 'no SQLSTATE', message } = error as Error & { code?: string };
    return `${await versionOf(db)} cannot run the statement that begins each request: ${message} (${code})`;
  }
  return 'an API key that does not exist was accepted';
}

async function versionOf(db: pg.Pool): Promise<string> {
  const { rows } = await queryAlone<{ server_version: string }>(db, sql`show server_version`);
  return `PostgreSQL ${rows[0]?.server_version}`;
}

const OPERATION = operationOf('dashboard.createProduct');

const UNKNOWN: Claim = {
  kind: 'api_key',
  secret: mintToken('api_key'),
  customer_secret: null,
  storefront_secret: null,
  site_id: null,
  merchant_id: null,
};

function newKey() {
  const given = { key: randomUUID(), operation_id: OPERATION.id, request: '', request_id: '', pepper: '' };
  return claimOf({ ...given, secret: false, secretRefusal: false });
}
