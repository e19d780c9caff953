import { type Connection, send } from './connect.ts';

/**
 * Runs a part of a transaction as the owner of the tables, for tables that requests cannot access. An error aborts the
 * transaction, which also resets the role.
 */
export async function asOwner<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
  await send(connection, 'set local role none');
  const result = await work();
  await send(connection, 'set local role commerce_app');
  return result;
}
