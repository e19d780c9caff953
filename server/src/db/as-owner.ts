import { type Connection, send } from './connect.ts';

/**
 * Runs a part of a transaction as the login that owns the tables, for tables that requests may not access. An error
 * ends the transaction, and the role with it.
 */
export async function asOwner<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
  await send(connection, 'set local role none');
  const result = await work();
  await send(connection, 'set local role commerce_app');
  return result;
}
