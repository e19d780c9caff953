/**
 * Issues the invoice and the credit notes of an order. Compares the order's state with its earlier documents, so
 * repeating the job issues no document twice. Lock order: the order, then the counter of the series.
 */

import type { DocumentKind, OrderDetails } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { newId } from '../../db/new-id.ts';
import type { RowOf } from '../../db/row-of.ts';
import { ShopError } from '../errors.ts';
import * as mail from '../mail.ts';
import { type InvoicingState, invoicingOf, type Seller, sellerOf } from '../merchant/invoicing.ts';
import { decimal, minorUnits } from '../money.ts';
import { lockOrder } from '../orders/orders.ts';
import { amountReceived, overpaidParts, type Received, refundDue } from '../orders/received.ts';
import { getDetails } from '../orders/rows.ts';
import { isSettled } from '../orders/states.ts';
import * as events from '../orders/timeline.ts';
import type { Shop } from '../shop.ts';
import {
  type ByRate,
  chargedByRate,
  differenceOf,
  linesOf,
  originalByRate,
  type Part,
  priceOfPieces,
  type Share,
  totalOf,
} from './amounts.ts';
import {
  type ConvertedTax,
  convertTax,
  countryOf,
  type DocumentContent,
  describe,
  partsOf,
  taxesOf,
} from './content.ts';
import { documentsOfOrder } from './documents.ts';

type Issued = RowOf<'documents', 'id' | 'kind' | 'invoice_id'> & { content: DocumentContent };

/**
 * Returns the documents of an order. If they charge nothing, enqueues the job that issues an invoice. Throws
 * `not_found`, `invoice_seller_missing` or `invoice_not_possible`.
 */
export async function requestInvoice(shop: Shop, order_id: string) {
  const order = await getDetails(shop, order_id);
  const documents = await documentsOfOrder(shop, order_id);
  if (totalCharged(documents, shop.currencyDigits) > 0) return { documents };
  const { missing } = await invoicingOf(shop);
  if (missing.length > 0) {
    throw new ShopError('invoice_seller_missing', 'The settings lack what an invoice must contain.', { missing });
  }
  if (!partsOf(order, shop.currencyDigits)) {
    throw new ShopError('invoice_not_possible', 'The tax rates of the order are unknown.', { reason: 'tax_unknown' });
  }
  if ((await chargedNow(shop, order)) <= 0) {
    throw new ShopError('invoice_not_possible', 'The order charges nothing.', { reason: 'nothing_charged' });
  }
  const job = { site_id: shop.siteId, order_id, by_hand: true };
  await shop.run(sql`select enqueue('issue_documents', ${JSON.stringify(job)}::json, now())`);
  return { documents };
}

/**
 * Issues the document that an order lacks. With `by_hand`, issues the invoice at once, regardless of when the settings
 * would issue it.
 */
export async function issueDue(shop: Shop, order_id: string, { by_hand = false } = {}): Promise<void> {
  await lockOrder(shop, order_id);
  const order = await getDetails(shop, order_id);
  const parts = partsOf(order, shop.currencyDigits);
  const state = await invoicingOf(shop);
  const issued = await shop.rows<Issued>(
    sql`select id, kind, invoice_id, content from documents where site_id = ${shop.siteId} and order_id = ${order_id} order by id`,
  );
  if (!parts) return;
  const invoice = issued.findLast(({ kind }) => kind === 'invoice');
  const own = issued.filter(({ id, invoice_id }) => invoice && (id === invoice.id || invoice_id === invoice.id));
  const documents = own.map(({ content }) => content);
  const isOpen = totalCharged(documents, shop.currencyDigits) > 0;
  const due = { order, parts, charged: await chargedNow(shop, order), state };
  const seller = sellerOf(state);
  if (invoice && isOpen) await issueCreditNote(shop, due, invoice, own);
  else if (seller && due.charged > 0 && (by_hand || (isDue(due) && !(invoice && hasFailedRefund(order))))) {
    await issueInvoice(shop, due, seller);
  }
}

/**
 * While a refund has failed, another invoice is issued only by hand: staff usually repeat the refund, and then the
 * existing credit note is correct again.
 */
function hasFailedRefund({ refunds }: OrderDetails): boolean {
  return refunds.some(({ status }) => status === 'failed');
}

/**
 * Returns the sum of the invoices minus the sum of the credit notes. If this is 0, an order can get another invoice,
 * for example after it was reinstated.
 */
function totalCharged(documents: { kind: DocumentKind; total: string }[], digits: number): number {
  return documents.reduce((sum, { kind, total }) => sum + (kind === 'invoice' ? 1 : -1) * minorUnits(total, digits), 0);
}

interface Due {
  order: OrderDetails;
  parts: Part[];
  /** In minor units. */
  charged: number;
  state: InvoicingState;
}

function isDue({ order: { fulfillment_status, payment_status }, state }: Due): boolean {
  const { issue } = state.invoicing;
  if (issue === 'on_fulfillment') return fulfillment_status === 'fulfilled' || fulfillment_status === 'delivered';
  return issue === 'on_payment' && isSettled(payment_status);
}

/** Returns the amount that an order charges: payments received or due, minus refunds made or due. Ignores disputes. */
async function chargedNow(shop: Shop, order: OrderDetails): Promise<number> {
  const digits = shop.currencyDigits;
  const found = await shop.one<Omit<Received, 'disputed'>>(
    sql`select ${amountReceived} as amount_received, o.retained, o.credited, o.released::text, ${overpaidParts} as overpaid
      from orders o where o.site_id = ${shop.siteId} and o.id = ${order.id}`,
  );
  if (!found) throw new Error(`Order ${order.id} was not found.`);
  const due = refundDue({ ...order, ...found, disputed: '0' }, digits);
  const minor = (amount: string) => minorUnits(amount, digits);
  return minor(found.amount_received) - minor(order.refunded) + minor(order.amount_due) - minor(due);
}

async function issueInvoice(shop: Shop, due: Due, seller: Seller): Promise<void> {
  const { order, parts, charged, state } = due;
  const target = chargedByRate(parts, originalByRate(parts), charged);
  const pieces = parts.map((part) => shareOf(part, part.refunded, part.quantity));
  const days = await daysOf(shop, order);
  const minor = (amount: string) => minorUnits(amount, shop.currencyDigits);
  const paid = Math.min(charged, minor(order.amount_received) - minor(order.refunded));
  await insert(shop, due, 'invoice', state.invoicing.prefix, (number) => ({
    ...terms(shop, due, partiesOf(order, seller, state), target, pieces),
    ...{ kind: 'invoice', number, issued_on: days.today, invoice: null, paid: decimal(paid, shop.currencyDigits) },
    ...{ supply_date: days.shipped, due_on: days.due, order: { number: order.order_number, date: days.ordered } },
  }));
}

/**
 * Issues a credit note for the difference between the sum of the documents and the amount that the order charges now.
 */
async function issueCreditNote(shop: Shop, due: Due, invoice: Issued, issued: Issued[]): Promise<void> {
  const { order, parts, charged, state } = due;
  const digits = shop.currencyDigits;
  const before = remainingByRate(issued, digits);
  if (totalOf(before.values()).gross <= charged) return;
  const target = differenceOf(before, chargedByRate(parts, before, charged));
  const pieces = parts.map((part) => shareOf(part, documentedRefund(part, issued, digits), part.refunded));
  const { today } = await daysOf(shop, order);
  const { number: of, issued_on, supply_date, order: about } = invoice.content;
  await insert(
    shop,
    due,
    'credit_note',
    state.invoicing.credit_note_prefix,
    (number) => ({
      ...terms(shop, due, invoice.content, target, pieces),
      ...{ kind: 'credit_note', number, issued_on: today, invoice: { number: of, issued_on } },
      ...{ paid: decimal(0, digits), supply_date, due_on: null, order: about },
    }),
    invoice.id,
  );
}

function shareOf(part: Part, from: number, to: number): Share {
  const quantity = Math.max(0, to - from);
  const amounts = priceOfPieces(part, Math.min(from, to), to);
  return { part, rate: part.rate, quantity: part.line_item_id === null ? Math.sign(quantity) : quantity, ...amounts };
}

/** Returns the sum of an order's documents by tax rate. */
function remainingByRate(issued: Issued[], digits: number): ByRate {
  const sums: ByRate = new Map();
  for (const { kind, content } of issued) {
    const sign = kind === 'invoice' ? 1 : -1;
    for (const { rate, net, tax } of content.taxes) {
      const sum = sums.get(rate) ?? { gross: 0, tax: 0 };
      const gross = minorUnits(net, digits) + minorUnits(tax, digits);
      sums.set(rate, { gross: sum.gross + sign * gross, tax: sum.tax + sign * minorUnits(tax, digits) });
    }
  }
  return sums;
}

/** Returns the number of pieces of a part that the order's documents no longer charge. */
function documentedRefund(part: Part, issued: Issued[], digits: number): number {
  const isShipping = part.line_item_id === null;
  const charged = issued.reduce((sum, { kind, content }) => {
    const own = content.lines.filter((line) =>
      isShipping
        ? line.kind === 'shipping' && line.rate === part.rate
        : line.kind === 'item' && line.line_item_id === part.line_item_id,
    );
    const pieces = own.reduce((all, line) => all + (isShipping ? minorUnits(line.total, digits) : line.quantity), 0);
    return sum + (kind === 'invoice' ? pieces : -pieces);
  }, 0);
  if (!isShipping) return part.quantity - charged;
  // The pieces of shipping are minor units of the whole shipping cost.
  return part.gross === 0 ? 0 : part.quantity - Math.round((part.quantity * charged) / part.gross);
}

/**
 * Seller, buyer, the country whose tax applies, and the exchange rate. A credit note repeats those of its invoice, even
 * if they have changed since.
 */
interface Parties extends Pick<DocumentContent, 'seller' | 'buyer' | 'country'> {
  converted_tax?: Omit<ConvertedTax, 'tax'>;
}

function partiesOf(order: OrderDetails, seller: Seller, { invoicing }: InvoicingState): Parties {
  const buyer = { ...(order.billing_address ?? order.shipping_address ?? {}), email: order.email ?? null };
  const { vat_currency: currency, vat_exchange_rate: rate, vat_exchange_rate_source: source } = invoicing;
  const isConverted = currency !== null && rate !== null && source !== null && currency !== order.currency;
  const parties = { seller, buyer, country: countryOf(order, seller) };
  return isConverted ? { ...parties, converted_tax: { currency, rate, source } } : parties;
}

function terms(shop: Shop, { order }: Due, parties: Parties, target: ByRate, pieces: Share[]) {
  const { seller, buyer, country, converted_tax } = parties;
  const digits = shop.currencyDigits;
  const lines = linesOf(
    target,
    pieces.filter(({ quantity }) => quantity > 0),
  );
  const { gross, tax } = totalOf(target.values());
  return {
    seller,
    buyer,
    country,
    currency: order.currency,
    prices_include_tax: order.tax_included,
    payment_method: order.payment_method,
    lines: describe(order, lines, digits),
    taxes: taxesOf(target, seller, country, digits),
    net: decimal(gross - tax, digits),
    tax: decimal(tax, digits),
    ...(converted_tax && { converted_tax: convertTax(decimal(tax, digits), digits, converted_tax) }),
    total: decimal(gross, digits),
  };
}

interface Days {
  today: string;
  ordered: string;
  shipped: string | null;
  /** Null unless the order is on payment terms. */
  due: string | null;
}

/** The days of an order and its document in the shop's time zone. */
async function daysOf(shop: Shop, order: OrderDetails): Promise<Days> {
  const found = await shop.one<Days>(
    sql`select (now() at time zone t.time_zone)::date::text as today,
        (o.created_at at time zone t.time_zone)::date::text as ordered, (
          select (max(f.created_at) at time zone t.time_zone)::date::text from fulfillments f
          where f.site_id = o.site_id and f.order_id = o.id) as shipped,
        case when o.payment_terms_days is not null then (o.payment_due_at at time zone t.time_zone)::date::text end as due
      from orders o join site_settings t using (site_id) where o.site_id = ${shop.siteId} and o.id = ${order.id}`,
  );
  if (!found) throw new Error(`Order ${order.id} was not found.`);
  return found;
}

/** Numbers and stores a document. Locks the counter only here, because the lock lasts until the commit. */
async function insert(
  shop: Shop,
  { order }: Due,
  kind: DocumentKind,
  prefix: string,
  contentOf: (number: string) => DocumentContent,
  invoice_id: string | null = null,
): Promise<void> {
  const id = newId();
  const number = await nextNumber(shop, prefix);
  await shop.run(
    sql`insert into documents (site_id, id, order_id, kind, number, invoice_id, locale, content, sha256)
      select ${shop.siteId}, ${id}, ${order.id}, ${kind}, ${number}, ${invoice_id}, ${order.locale}, content,
        encode(sha256(convert_to(content::text, 'UTF8')), 'hex')
      from (select ${JSON.stringify(contentOf(number))}::jsonb as content) as frozen`,
  );
  const name = kind === 'invoice' ? 'Invoice' : 'Credit note';
  const message = `${name} ${number} was issued.`;
  await events.record(shop, order.id, { type: 'updated', message, context: { document_id: id, number } });
  if (order.email) await mail.enqueue(shop, 'document_issued', { order_id: order.id, document_id: id });
}

async function nextNumber(shop: Shop, prefix: string): Promise<string> {
  const found = await shop.one<{ number: string }>(
    sql`insert into document_counters (site_id, series, last)
      select t.site_id, ${prefix} || to_char(now() at time zone t.time_zone, 'YYYY'), 1
      from site_settings t where t.site_id = ${shop.siteId}
      on conflict (site_id, series) do update set last = document_counters.last + 1
      returning series || '-' || last as number`,
  );
  if (!found) throw new Error(`Site ${shop.siteId} has no settings.`);
  return found.number;
}
