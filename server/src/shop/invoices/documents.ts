/** Reads invoices and credit notes in the form of the contract. */

import type { Document, DocumentKind, DocumentPage, DocumentTax } from '@commerce-backend/spec';
import sql, { join, type Sql } from 'sql-template-tag';
import { jsonObject, selectList } from '../../db/fields.ts';
import type { OrNulls } from '../../db/nulls.ts';
import { notFound } from '../errors.ts';
import { type PageQuery, pageOf } from '../page-query.ts';
import type { Shop } from '../shop.ts';

/** EN 16931 allows two decimals at most. */
export const MOST_DIGITS = 2;

const taxOfRate = jsonObject<DocumentTax>({ rate: sql`t ->> 'rate'`, net: sql`t ->> 'net'`, tax: sql`t ->> 'tax'` });

function columns(shop: Shop): Sql {
  return selectList<Document>({
    id: sql`d.id`,
    order_id: sql`d.order_id`,
    order_number: sql`d.content -> 'order' ->> 'number'`,
    kind: sql`d.kind`,
    number: sql`d.number`,
    invoice_number: sql`d.content -> 'invoice' ->> 'number'`,
    issued_at: sql`d.issued_at`,
    issued_on: sql`d.content ->> 'issued_on'`,
    supply_date: sql`d.content ->> 'supply_date'`,
    locale: sql`d.locale`,
    buyer_name: sql`coalesce(nullif(d.content -> 'buyer' ->> 'company', ''), nullif(concat_ws(' ',
      d.content -> 'buyer' ->> 'first_name', d.content -> 'buyer' ->> 'last_name'), ''))`,
    country: sql`d.content ->> 'country'`,
    currency: sql`d.content ->> 'currency'`,
    net: sql`d.content ->> 'net'`,
    tax: sql`d.content ->> 'tax'`,
    total: sql`d.content ->> 'total'`,
    taxes: sql`(
      select json_agg(${taxOfRate} order by place)
      from jsonb_array_elements(d.content -> 'taxes') with ordinality as listed (t, place))`,
    sha256: sql`d.sha256`,
    formats: shop.currencyDigits > MOST_DIGITS ? sql`array['pdf']` : sql`array['pdf', 'xml']`,
  });
}

/** Returns a document. Throws `not_found`. */
export async function get(shop: Shop, id: string): Promise<Document> {
  const found = await shop.one<Document>(
    sql`select ${columns(shop)} from documents d where d.site_id = ${shop.siteId} and d.id = ${id}`,
  );
  if (!found) throw notFound('document');
  return found;
}

/** The documents of an order, oldest first. */
export function documentsOfOrder(shop: Shop, order_id: string): Promise<Document[]> {
  return shop.rows<Document>(
    sql`select ${columns(shop)} from documents d
      where d.site_id = ${shop.siteId} and d.order_id = ${order_id} order by d.id`,
  );
}

export interface DocumentQuery extends PageQuery {
  kind?: DocumentKind;
  order_id?: string;
  number?: string;
  issued_from?: string;
  issued_to?: string;
}

/** Whether `documents d` belongs to an order of this customer. */
export function isOfCustomer(customer_id: string): Sql {
  return sql`exists (
    select from orders o where o.site_id = d.site_id and o.id = d.order_id and o.customer_id = ${customer_id})`;
}

/** Returns one page of documents, newest first. With `customer_id`, lists only this customer's documents. */
export async function list(shop: Shop, query: DocumentQuery, customer_id?: string): Promise<DocumentPage> {
  const { page, limit, offset } = pageOf(query);
  const from = sql`from documents d where ${conditionsOf(shop, query, customer_id)}`;
  const found = await shop.rows<{ counted: number } & OrNulls<Document>>(
    sql`select counted.counted, chosen.* from (select count(*) as counted ${from}) counted left join lateral (
        select ${columns(shop)} ${from} order by d.issued_at desc, d.id desc limit ${limit} offset ${offset}
      ) chosen on true`,
  );
  const total = found[0]?.counted ?? 0;
  const documents = found.flatMap(({ counted: _, ...one }) => (one.id === null ? [] : [one]));
  return { documents, total, page, limit, pages: Math.ceil(total / limit) };
}

function conditionsOf(shop: Shop, query: DocumentQuery, customer_id: string | undefined): Sql {
  const conditions = [sql`d.site_id = ${shop.siteId}`];
  if (customer_id !== undefined) conditions.push(isOfCustomer(customer_id));
  if (query.kind) conditions.push(sql`d.kind = ${query.kind}`);
  if (query.order_id) conditions.push(sql`d.order_id = ${query.order_id}`);
  if (query.number) conditions.push(sql`d.number = ${query.number}`);
  if (query.issued_from) conditions.push(sql`d.issued_at >= ${query.issued_from}`);
  if (query.issued_to) conditions.push(sql`d.issued_at < ${query.issued_to}`);
  return join(conditions, ' and ');
}
