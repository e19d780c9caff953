/** Address books. Every change locks the customer's row, so that changes of one address book run one after another. */

import type {
  CustomerAddress,
  CustomerAddressInput,
  CustomerAddressPatch,
  CustomerImportAddress,
  Deletion,
} from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import type { RowOf } from '../../db/row-of.ts';
import { notFound, ShopError } from '../errors.ts';
import type { Shop } from '../shop.ts';

export const MAX_ADDRESSES = 50;
const FIELDS = [
  'first_name',
  'last_name',
  'company',
  'address1',
  'address2',
  'city',
  'state',
  'postal_code',
  'country',
  'phone',
] as const;

type AddressRow = Pick<CustomerAddress, 'id' | 'is_default' | 'created_at' | 'updated_at'> & {
  address: Partial<CustomerAddress>;
};

const COLUMNS = sql`id, address, is_default, created_at, updated_at`;

/** Lists the addresses of a customer, oldest first. */
export async function list(shop: Shop, customer_id: string): Promise<CustomerAddress[]> {
  const rows = await shop.rows<AddressRow>(
    sql`select ${COLUMNS} from customer_addresses
      where site_id = ${shop.siteId} and customer_id = ${customer_id} order by created_at, id limit ${MAX_ADDRESSES}`,
  );
  return rows.map(told);
}

/** Returns the addresses of several customers by customer id. */
export async function listOfAll(shop: Shop, customer_ids: string[]): Promise<Map<string, CustomerAddress[]>> {
  const rows = await shop.rows<AddressRow & RowOf<'customer_addresses', 'customer_id'>>(
    sql`select customer_id, ${COLUMNS} from customer_addresses
      where site_id = ${shop.siteId} and customer_id = any(${customer_ids}::uuid[]) order by created_at, id`,
  );
  const byCustomer = Map.groupBy(rows, ({ customer_id }) => customer_id);
  const shown = ({ customer_id: _, ...row }: (typeof rows)[number]) => told(row);
  return new Map([...byCustomer].map(([id, own]) => [id, own.map(shown)]));
}

/**
 * Adds an address. The first one becomes the default. Throws `limit_reached` at 50, and `invalid_token` if the account
 * was closed.
 */
export async function create(shop: Shop, customer_id: string, input: CustomerAddressInput): Promise<CustomerAddress> {
  await takeTurn(shop, customer_id);
  const { is_default = false, ...address } = input;
  if (is_default) await clearDefault(shop, customer_id);
  const made = await shop.one<AddressRow>(
    sql`insert into customer_addresses (site_id, id, customer_id, address, is_default)
      select ${shop.siteId}, ${uuidv7()}, ${customer_id}, ${JSON.stringify(address)}::jsonb, ${is_default} or count(*) = 0
      from customer_addresses where site_id = ${shop.siteId} and customer_id = ${customer_id}
      having count(*) < ${MAX_ADDRESSES}
      returning ${COLUMNS}`,
  );
  if (made) return told(made);
  throw new ShopError('limit_reached', `An address book can have at most ${MAX_ADDRESSES} addresses.`, {
    limit: MAX_ADDRESSES,
  });
}

interface Imported {
  customer_id: string;
  address: Omit<CustomerImportAddress, 'is_default'>;
  is_default: boolean;
}

/** Adds imported addresses to customers that are new or locked. The caller has checked the limit of addresses. */
export async function addImported(shop: Shop, imported: Imported[]): Promise<void> {
  if (imported.length === 0) return;
  const rows = imported.map((one) => ({ ...one, id: uuidv7() }));
  await shop.run(
    sql`insert into customer_addresses (site_id, id, customer_id, address, is_default)
      select ${shop.siteId}, n.id, n.customer_id, n.address, n.is_default
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as n (id uuid, customer_id uuid, address jsonb,
        is_default boolean)`,
  );
}

/** Changes the given fields of an address. Throws `not_found`, even for an address of another customer. */
export async function update(
  shop: Shop,
  customer_id: string,
  id: string,
  patch: CustomerAddressPatch,
): Promise<CustomerAddress> {
  await takeTurn(shop, customer_id);
  const { is_default = null, ...address } = patch;
  if (is_default) await clearDefault(shop, customer_id);
  const changed = await shop.one<AddressRow>(
    sql`update customer_addresses set address = address || ${JSON.stringify(address)}::jsonb,
        is_default = coalesce(${is_default}, is_default), updated_at = now()
      where site_id = ${shop.siteId} and customer_id = ${customer_id} and id = ${id} returning ${COLUMNS}`,
  );
  if (!changed) throw notFound('address');
  return told(changed);
}

/** Deletes an address. Throws `not_found`, even for an address of another customer. */
export async function remove(shop: Shop, customer_id: string, id: string): Promise<Deletion> {
  await takeTurn(shop, customer_id);
  const removed = await shop.run(
    sql`delete from customer_addresses
      where site_id = ${shop.siteId} and customer_id = ${customer_id} and id = ${id}`,
  );
  if (removed === 0) throw notFound('address');
  return { id, deleted: true };
}

async function takeTurn(shop: Shop, customer_id: string): Promise<void> {
  const found = await shop.run(
    sql`select from customers where site_id = ${shop.siteId} and id = ${customer_id} for no key update`,
  );
  if (found === 0) throw new ShopError('invalid_token', 'The account was closed.');
}

async function clearDefault(shop: Shop, customer_id: string): Promise<void> {
  await shop.run(
    sql`update customer_addresses set is_default = false, updated_at = now()
      where site_id = ${shop.siteId} and customer_id = ${customer_id} and is_default`,
  );
}

function told({ address, ...row }: AddressRow): CustomerAddress {
  const fields = Object.fromEntries(FIELDS.map((field) => [field, address[field] ?? null]));
  return { ...fields, ...row };
}
