/**
 * Imports past orders of another shop system. Rows are validated here, not by the contract (x-validate-rows). Validates
 * all rows before it writes any:
 * 1. plan the orders
 * 2. lock the customers and the counter of order numbers, which delays new orders of the shop
 * 3. find orders of earlier imports
 * 4. write the new orders, and continue the shop's own numbers after the imported ones
 */

import type { OrderImport, OrderImportResult, ValidationErrorItem } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import { foldEmail } from '../emails.ts';
import { ValidationError } from '../errors.ts';
import { cleanRow } from '../hidden-characters.ts';
import type { Shop } from '../shop.ts';
import { type PlannedOrder, planOrder } from './import-plan.ts';
import { type NewOrder, writeOrders } from './import-write.ts';
import { current } from './overdue.ts';

export interface ImportCall {
  orders: unknown[];
  dry_run?: boolean;
}

type RowResult = OrderImportResult['results'][number];
type Place = (string | number)[];
type RowCheck = (row: unknown, loc: Place) => ValidationErrorItem[];

interface Row {
  index: number;
  loc: Place;
  input: OrderImport;
  errors: ValidationErrorItem[];
  warnings: ValidationErrorItem[];
}

/** Imports up to 100 orders. Rejected rows do not affect the others. */
export async function importOrders(
  shop: Shop,
  { orders, dry_run = false }: ImportCall,
  mistakesInRow: RowCheck,
): Promise<OrderImportResult> {
  const rows = orders.map((row, index) => check(row, index, mistakesInRow));
  refuseRepeated(rows);
  const planned = rows.flatMap((row) => plan(shop, row));
  const outcomes = planned.length > 0 ? await judgeAll(shop, planned, dry_run) : [];
  const fresh = outcomes.flatMap((outcome) => ('order' in outcome ? [outcome.order] : []));
  await connectLines(shop, fresh, rows);
  if (!dry_run) await writeOrders(shop, fresh);
  const known = new Map(outcomes.map((outcome) => [outcome.index, outcome]));
  const results = rows.map((row) => resultOf(row, known.get(row.index), dry_run));
  const count = (status: RowResult['status']) => results.filter((result) => result.status === status).length;
  return {
    dry_run,
    counts: { created: count('created'), unchanged: count('unchanged'), failed: count('failed') },
    results,
  };
}

function check(row: unknown, index: number, mistakesInRow: RowCheck): Row {
  const loc = ['body', 'orders', index];
  const { cleaned, warnings } = cleanRow(row, loc);
  return { index, loc, errors: mistakesInRow(cleaned, loc), warnings, input: cleaned as OrderImport };
}

/** Rejects rows that repeat the number or reference of an earlier row. */
function refuseRepeated(rows: Row[]): void {
  const firsts = new Map<string, number>();
  for (const { index, loc, input, errors } of rows) {
    if (errors.length > 0) continue;
    for (const field of ['order_number', 'external_reference'] as const) {
      const value = input[field];
      if (!value) continue;
      const first = firsts.get(`${field} ${value}`);
      if (first === undefined) firsts.set(`${field} ${value}`, index);
      else {
        const msg = `Row ${first} of this call already has this ${field}.`;
        errors.push({ loc: [...loc, field], msg, type: 'duplicate', ctx: { first } });
      }
    }
  }
}

interface Planned extends Row {
  plan: PlannedOrder;
}

/** Returns the row with its plan, or an empty array after recording the mistakes of the row. */
function plan({ currency, currencyDigits: digits }: Shop, row: Row): Planned[] {
  if (row.errors.length > 0) return [];
  try {
    return [{ ...row, plan: planOrder(row.input, { currency, digits, loc: row.loc }) }];
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    row.errors.push(...error.detail);
    return [];
  }
}

async function judgeAll(shop: Shop, planned: Planned[], dry_run: boolean): Promise<Outcome[]> {
  const customers = await lockCustomers(shop, planned);
  await lockNumbers(shop, dry_run);
  const before = await findImported(shop, planned);
  return planned.map((row) => judge(row, before, customers));
}

/**
 * Locks the customers of the rows in order of ids, so that no customer is erased during the import. Returns customer
 * ids by e-mail address.
 */
async function lockCustomers(shop: Shop, rows: Row[]): Promise<Map<string, string>> {
  const emails = rows.flatMap(({ input: { email } }) => (email ? [foldEmail(email)] : []));
  const found = await shop.rows<RowOf<'customers', 'id' | 'email'>>(
    // An account needs a verified e-mail address. Otherwise a stranger could register the address and read the orders.
    sql`select id, email from customers
      where site_id = ${shop.siteId} and email = any(${emails}::text[]) and anonymized_at is null
        and (email_verified_at is not null or password_hash is null)
      order by id for share`,
  );
  return new Map(found.map(({ id, email }) => [email, id]));
}

async function lockNumbers(shop: Shop, dry_run: boolean): Promise<void> {
  const locked = await shop.run(sql`select from order_numbers where site_id = ${shop.siteId} for update`);
  if (locked > 0 || dry_run) return;
  await shop.run(
    sql`insert into order_numbers as n (site_id) values (${shop.siteId})
      on conflict (site_id) do update set last_number = n.last_number`,
  );
}

interface Known {
  id: string;
  order_number: string;
  external_reference: string | null;
  source: string;
  total: string;
  payment_status: string;
  fulfillment_status: string;
}

async function findImported(shop: Shop, rows: Row[]): Promise<Known[]> {
  const numbers = rows.map(({ input }) => input.order_number);
  const references = rows.flatMap(({ input }) => input.external_reference ?? []);
  return shop.rows<Known>(
    sql`select o.id, o.order_number, o.external_reference, o.source, o.total, ${current.payment_status} as payment_status,
        o.fulfillment_status
      from orders o where o.site_id = ${shop.siteId}
        and (o.order_number = any(${numbers}::text[]) or o.external_reference = any(${references}::text[]))`,
  );
}

type Outcome =
  | { index: number; errors: ValidationErrorItem[] }
  | { index: number; known: Known; warnings: ValidationErrorItem[] }
  | { index: number; order: NewOrder };

function judge({ index, input, loc, plan: planned }: Planned, known: Known[], customers: Map<string, string>): Outcome {
  const reference = input.external_reference ?? null;
  const sameReference = known.find((one) => reference !== null && one.external_reference === reference);
  const before = sameReference ?? known.find((one) => one.order_number === input.order_number);
  if (before && !isSame(before, reference)) return { index, errors: [taken(before, input, loc, sameReference)] };
  if (before) return { index, known: before, warnings: differences(before, planned, loc) };
  const customer_id = (input.email && customers.get(foldEmail(input.email))) || null;
  return { index, order: { index, input, plan: planned, customer_id } };
}

function isSame({ source, external_reference }: Known, reference: string | null): boolean {
  return source === 'import' && (external_reference === null || reference === null || external_reference === reference);
}

function taken(
  { order_number, source, id }: Known,
  input: OrderImport,
  loc: Place,
  sameReference: Known | undefined,
): ValidationErrorItem {
  const field = sameReference ? 'external_reference' : 'order_number';
  const whose = source === 'import' ? 'Another imported order' : 'An order of this shop';
  const msg = `${whose} already has ${JSON.stringify(input[field])}. Add a prefix to the numbers of the other shop.`;
  return { loc: [...loc, field], msg, type: 'order_number_taken', ctx: { order_id: id, order_number } };
}

/** Compares a row with the order that an earlier import created. That order is not changed. */
function differences(before: Known, { amounts, ...states }: PlannedOrder, loc: Place): ValidationErrorItem[] {
  const now = { total: amounts.total, ...states };
  return (['total', 'payment_status', 'fulfillment_status'] as const).flatMap((field) => {
    if (before[field] === now[field]) return [];
    const msg = `The order was already imported and stays unchanged: ${before[field]}, not ${now[field]}.`;
    return [{ loc: [...loc, field], msg, type: 'unchanged', ctx: { here: before[field] } }];
  });
}

/** Links lines to variants by SKU. A line without a matching variant refers to no product. */
async function connectLines(shop: Shop, fresh: NewOrder[], rows: Row[]): Promise<void> {
  const skus = new Set(fresh.flatMap(({ plan }) => plan.lines.flatMap(({ sku }) => sku?.toLowerCase() ?? [])));
  const found = await shop.rows<{ id: string; product_id: string; sku: string }>(
    sql`select id, product_id, lower(sku) as sku from variants
      where site_id = ${shop.siteId} and lower(sku) = any(${[...skus]}::text[]) and sku is not null and not sku_twin`,
  );
  const bySku = new Map(found.map((variant) => [variant.sku, variant]));
  for (const { index, plan } of fresh) {
    plan.lines.forEach((line, i) => {
      if (line.sku === null) return;
      const variant = bySku.get(line.sku.toLowerCase());
      if (variant) {
        line.variant_id = variant.id;
        line.product_id = variant.product_id;
        return;
      }
      const msg = `No variant has the SKU ${JSON.stringify(line.sku)}. The line is stored as text.`;
      const row = rows[index];
      const at = ['body', 'orders', index, 'line_items', i, 'sku'];
      if (row && row.warnings.length < MOST_WARNINGS) {
        row.warnings.push({ loc: at, msg, type: 'variant_not_found', ctx: { sku: line.sku } });
      }
    });
  }
}

const MOST_WARNINGS = 50;

function resultOf({ index, input, errors, warnings }: Row, outcome: Outcome | undefined, dry_run: boolean): RowResult {
  const order_number = numberIn(input);
  if (!outcome || 'errors' in outcome) {
    const mistakes = outcome ? outcome.errors : errors;
    return { index, order_number, status: 'failed', order_id: null, errors: mistakes.slice(0, 50), warnings };
  }
  if ('known' in outcome) {
    const told = [...warnings, ...outcome.warnings].slice(0, MOST_WARNINGS);
    return { index, order_number, status: 'unchanged', order_id: outcome.known.id, errors: [], warnings: told };
  }
  const order_id = dry_run ? null : outcome.order.plan.id;
  return { index, order_number, status: 'created', order_id, errors: [], warnings };
}

function numberIn(input: unknown): string | null {
  const number = (input as { order_number?: unknown } | null)?.order_number;
  return typeof number === 'string' ? number.slice(0, 255) : null;
}
