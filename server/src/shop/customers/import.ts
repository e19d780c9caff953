/**
 * Imports customers of another shop system. Fills only empty fields of existing customers unless `overwrite` is set,
 * and always keeps their marketing decision. Rows are validated here, not by the contract (x-validate-rows):
 * 1. Validate the rows. Of several rows with the same e-mail address, import only the first one.
 * 2. Lock the existing customers in order of ids, plan the changes of each row, and reject rows above a limit.
 * 3. Insert new customers in the order of their e-mail addresses. If a concurrent request inserted one first, lock it
 *    and plan its row again.
 * 4. Write the remaining changes, with one statement per table.
 */

import type { CustomerImport, CustomerImportResult, ValidationErrorItem } from '@commerce-backend/spec';
import { foldEmail, placeholderEmail } from '../emails.ts';
import { ValidationError } from '../errors.ts';
import { cleanRow } from '../hidden-characters.ts';
import type { Shop } from '../shop.ts';
import { type Known, type Place, type Plan, planRow } from './import-plan.ts';
import { insertNew, lockKnown, writeAdded, writeChanged } from './import-write.ts';

export interface ImportCall {
  customers: unknown[];
  dry_run?: boolean;
  overwrite?: boolean;
}

type RowResult = CustomerImportResult['results'][number];
type RowCheck = (row: unknown, loc: Place) => ValidationErrorItem[];
type CheckedRow = ReturnType<typeof check>;

const STATUSES = ['created', 'updated', 'unchanged', 'failed'] as const;

type Outcome = { customer_id: string; status: 'created' | 'updated' | 'unchanged' } | { errors: ValidationErrorItem[] };

/** Thrown to roll back a dry run. */
class Undo {
  readonly outcomes: Map<number, Outcome>;

  constructor(outcomes: Map<number, Outcome>) {
    this.outcomes = outcomes;
  }
}

/** Imports up to 100 customers. Rejected rows do not affect the others. */
export async function importCustomers(
  shop: Shop,
  { customers, dry_run = false, overwrite = false }: ImportCall,
  mistakesInRow: RowCheck,
): Promise<CustomerImportResult> {
  const checked = customers.map((row, index) => check(row, index, mistakesInRow));
  refuseRepeated(checked);
  const sound = checked.filter(({ errors }) => errors.length === 0);
  const outcomes = await tryAll(shop, sound, { dry_run, overwrite });
  const results = checked.map((row) => resultOf(row, outcomes.get(row.index), dry_run));
  const count = (status: RowResult['status']) => results.filter((result) => result.status === status).length;
  const [created, updated, unchanged, failed] = STATUSES.map(count) as [number, number, number, number];
  return { dry_run, counts: { created, updated, unchanged, failed }, results };
}

function check(row: unknown, index: number, mistakesInRow: RowCheck) {
  const loc = ['body', 'customers', index];
  const { cleaned: given, warnings } = cleanRow(row, loc);
  const cleaned = withEmail(given);
  const errors = mistakesInRow(cleaned, loc);
  const input = cleaned as CustomerImport & { email: string };
  if (errors.length === 0 && input.email === undefined) errors.push(missingEmail(loc));
  if (errors.length === 0) errors.push(...timesToCome(input, loc));
  return { index, loc, email: emailIn(cleaned), errors, warnings, input };
}

/**
 * Gives a row without an e-mail address a placeholder address derived from the phone number, and removes its marketing
 * consent.
 */
function withEmail(row: unknown): unknown {
  const { email, phone, ...rest } = (row ?? {}) as Partial<CustomerImport>;
  if (email || typeof phone !== 'string') return row;
  const placeholder = placeholderEmail(phone);
  if (placeholder === undefined) return row;
  return { ...rest, phone, email: placeholder, ...(rest.marketing_opt_in && { marketing_opt_in: false }) };
}

/** Rejects times in the future. A consent dated in the future would override the customer's decisions until then. */
function timesToCome(input: CustomerImport, loc: Place): ValidationErrorItem[] {
  return (['created_at', 'marketing_opt_in_at'] as const).flatMap((field) => {
    const time = input[field];
    if (!time || Date.parse(time) <= Date.now()) return [];
    return [{ loc: [...loc, field], msg: 'This time is in the future.', type: 'value_error' }];
  });
}

function missingEmail(loc: Place): ValidationErrorItem {
  return { loc: [...loc, 'email'], msg: 'A customer needs an e-mail or a phone number.', type: 'missing' };
}

/** Rejects rows that repeat the e-mail address of an earlier row. */
function refuseRepeated(checked: CheckedRow[]): void {
  const firsts = new Map<string, number>();
  for (const { index, loc, email, errors } of checked) {
    if (email === null) continue;
    const first = firsts.get(email);
    if (first === undefined) firsts.set(email, index);
    else if (errors.length === 0) {
      const msg = `Row ${first} of this call already has this e-mail.`;
      errors.push({ loc: [...loc, 'email'], msg, type: 'duplicate', ctx: { first } });
    }
  }
}

function resultOf(
  { index, email, errors, warnings }: CheckedRow,
  outcome: Outcome | undefined,
  dry_run: boolean,
): RowResult {
  if (!outcome || 'errors' in outcome) {
    return { index, email, status: 'failed', customer_id: null, errors: outcome?.errors ?? errors, warnings };
  }
  const { status, customer_id: id } = outcome;
  return { index, email, status, customer_id: dry_run && status === 'created' ? null : id, errors: [], warnings };
}

function emailIn(row: unknown): string | null {
  const email = (row as { email?: unknown } | null)?.email;
  return typeof email === 'string' ? foldEmail(email).slice(0, 255) : null;
}

interface Settings {
  dry_run: boolean;
  overwrite: boolean;
}

async function tryAll(shop: Shop, rows: CheckedRow[], { dry_run, overwrite }: Settings): Promise<Map<number, Outcome>> {
  try {
    return await shop.savepoint(async () => {
      const outcomes = await writeAll(shop, rows, overwrite);
      if (dry_run) throw new Undo(outcomes);
      return outcomes;
    });
  } catch (error) {
    if (error instanceof Undo) return error.outcomes;
    throw error;
  }
}

async function writeAll(shop: Shop, rows: CheckedRow[], overwrite: boolean): Promise<Map<number, Outcome>> {
  const outcomes = new Map<number, Outcome>();
  const planned = (some: CheckedRow[], known: ReadonlyMap<string, Known>) =>
    some.flatMap((row): Plan[] => {
      try {
        return [planRow(row, known.get(foldEmail(row.input.email)), overwrite)];
      } catch (error) {
        if (!(error instanceof ValidationError)) throw error;
        outcomes.set(row.index, { errors: error.detail });
        return [];
      }
    });

  const plans = planned(
    rows,
    await lockKnown(
      shop,
      rows.map(({ input }) => foldEmail(input.email)),
    ),
  );
  const fresh = plans.filter(({ before }) => before === undefined);
  const made = await insertNew(shop, fresh);
  // Concurrent requests inserted these customers after the existing ones were locked.
  const missed = fresh.filter(({ customer }) => !made.has(customer.id));
  const found =
    missed.length > 0
      ? await lockKnown(
          shop,
          missed.map(({ customer }) => customer.email),
        )
      : new Map();
  if (found.size < missed.length) throw new Error('The customer was erased concurrently.');
  const late = planned(
    rows.filter(({ index }) => missed.some((plan) => plan.index === index)),
    found,
  );
  const all = [...plans.filter((plan) => !missed.includes(plan)), ...late];
  await writeChanged(shop, all);
  await writeAdded(shop, all);
  for (const { index, before, customer, described, consented, addresses } of all) {
    const isChanged = described || consented || addresses.length > 0;
    const status = before === undefined ? 'created' : isChanged ? 'updated' : 'unchanged';
    outcomes.set(index, { customer_id: customer.id, status });
  }
  return outcomes;
}
