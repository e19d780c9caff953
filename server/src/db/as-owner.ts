import { type Connection, send } from './connect.ts';

/**
 * Runs part of a transaction as the login that owns the tables, for tables to which requests have no access. An error
 * ends the transaction and with it the role.
 */
export async function asOwner<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
  await send(connection, 'set local role none');
  const result = await work();
  await send(connection, 'set local role commerce_app');
  return result;
}
