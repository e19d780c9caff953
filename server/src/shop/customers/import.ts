import type {
  CustomerDetails,
  CustomerImport,
  CustomerImportResult,
  Metadata,
  ValidationErrorItem,
} from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import { foldEmail } from '../emails.ts';
import { ValidationError } from '../errors.ts';
import { cleanRow } from '../hidden-characters.ts';
import type { Shop } from '../shop.ts';
import * as addresses from './addresses.ts';
import * as consents from './consents.ts';
import { get, textChanges } from './customers.ts';

/**
 * Customers of another shop, row by row. A known customer, locked before it is read, keeps what is here unless told otherwise, and
 * always the decision about mails that was made here. Rows arrive unchecked (the contract marks them x-validate-rows).
 */
export interface ImportCall {
  customers: unknown[];
  dry_run?: boolean;
  overwrite?: boolean;
}

type RowResult = CustomerImportResult['results'][number];
type Place = (string | number)[];
type RowCheck = (row: unknown, loc: Place) => ValidationErrorItem[];
type CheckedRow = ReturnType<typeof check>;

const STATUSES = ['created', 'updated', 'unchanged', 'failed'] as const;

/** Thrown to undo what was only tried. */
class Undo {
  readonly outcome: RowResult;

  constructor(outcome: RowResult) {
    this.outcome = outcome;
  }
}

/** Imports up to 100 customers; a refused row writes nothing and stops no other. */
export async function importCustomers(
  shop: Shop,
  { customers, dry_run = false, overwrite = false }: ImportCall,
  mistakesInRow: RowCheck,
): Promise<CustomerImportResult> {
  const checked = customers.map((row, index) => check(row, index, mistakesInRow));
  refuseRepeated(checked);
  await lockKnown(shop, checked);
  const outcomes = new Map<number, RowResult>();
  // In the order of their e-mails, so that two imports of the same new customers wait for each other in one order.
  for (const row of checked.toSorted(byEmail)) {
    const outcome = row.errors.length > 0 ? refused(row, row.errors) : await tryRow(shop, row, { dry_run, overwrite });
    outcomes.set(row.index, outcome);
  }
  const results = checked.flatMap(({ index }) => outcomes.get(index) ?? []);
  const count = (status: RowResult['status']) => results.filter((result) => result.status === status).length;
  const [created, updated, unchanged, failed] = STATUSES.map(count) as [number, number, number, number];
  return { dry_run, counts: { created, updated, unchanged, failed }, results };
}

function check(row: unknown, index: number, mistakesInRow: RowCheck) {
  const loc = ['body', 'customers', index];
  const { cleaned, warnings } = cleanRow(row, loc);
  const errors = mistakesInRow(cleaned, loc);
  const input = cleaned as CustomerImport;
  if (errors.length === 0) errors.push(...timesToCome(input, loc));
  return { index, loc, email: emailIn(cleaned), errors, warnings, input };
}

/** A consent of the future would stay the newest decision, whatever the customer decides until then. */
function timesToCome(input: CustomerImport, loc: Place): ValidationErrorItem[] {
  return (['created_at', 'marketing_opt_in_at'] as const).flatMap((field) => {
    const time = input[field];
    if (!time || Date.parse(time) <= Date.now()) return [];
    return [{ loc: [...loc, field], msg: 'This time is in the future.', type: 'value_error' }];
  });
}

/** Of rows with one e-mail the first is imported. */
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

function byEmail({ email: one }: CheckedRow, { email: other }: CheckedRow): number {
  return (one ?? '') < (other ?? '') ? -1 : 1;
}

function refused({ index, email, warnings }: CheckedRow, errors: ValidationErrorItem[]): RowResult {
  return { index, email, status: 'failed', customer_id: null, errors, warnings };
}

function emailIn(row: unknown): string | null {
  const email = (row as { email?: unknown } | null)?.email;
  return typeof email === 'string' ? foldEmail(email).slice(0, 255) : null;
}

/** All at once and in the order of their ids, so that two imports of the same customers cannot deadlock. */
async function lockKnown(shop: Shop, checked: { email: string | null }[]): Promise<void> {
  const emails = checked.flatMap(({ email }) => email ?? []);
  await shop.run(
    sql`select from customers where site_id = ${shop.siteId} and email = any(${emails}::text[]) order by id for no key update`,
  );
}

interface Settings {
  dry_run: boolean;
  overwrite: boolean;
}

async function tryRow(shop: Shop, row: CheckedRow, { dry_run, overwrite }: Settings): Promise<RowResult> {
  const { index, input, loc, warnings } = row;
  const email = foldEmail(input.email);
  try {
    return await shop.savepoint(async () => {
      const made = await insert(shop, email, input);
      const id = made ?? (await lockOne(shop, email));
      const before = await get(shop, id);
      const changed = await complete(shop, before, { input, loc }, overwrite);
      const status = made ? 'created' : changed ? 'updated' : 'unchanged';
      const result: RowResult = { index, email, status, customer_id: id, errors: [], warnings };
      if (dry_run) throw new Undo({ ...result, customer_id: made ? null : id });
      return result;
    });
  } catch (error) {
    if (error instanceof Undo) return error.outcome;
    if (!(error instanceof ValidationError)) throw error;
    return refused(row, error.detail);
  }
}

/** The id of the customer made; undefined where there is one with this e-mail. */
async function insert(shop: Shop, email: string, input: CustomerImport): Promise<string | undefined> {
  const made = await shop.one<{ id: string }>(
    sql`insert into customers (site_id, id, email, created_at, imported_at)
      values (${shop.siteId}, ${uuidv7()}, ${email}, coalesce(${input.created_at ?? null}::timestamptz, now()), now())
      on conflict (site_id, lower(email)) do nothing returning id`,
  );
  return made?.id;
}

async function lockOne(shop: Shop, email: string): Promise<string> {
  const found = await shop.one<{ id: string }>(
    sql`select id from customers where site_id = ${shop.siteId} and email = ${email} for no key update`,
  );
  if (!found) throw new Error('The customer was erased meanwhile.');
  return found.id;
}

/** Writes what the row adds to a locked customer; whether that was anything. */
async function complete(
  shop: Shop,
  before: CustomerDetails,
  { input, loc }: Pick<CheckedRow, 'input' | 'loc'>,
  overwrite: boolean,
): Promise<boolean> {
  const texts = textsToWrite(before, input, overwrite);
  const metadata = overwrite ? { ...before.metadata, ...input.metadata } : { ...input.metadata, ...before.metadata };
  const fields = Object.keys(texts) as (keyof typeof texts)[];
  const described = fields.length > 0 || !sameTexts(metadata, before.metadata);
  refuseMoreThan(MOST_METADATA, Object.keys(metadata), [...loc, 'metadata']);
  if (described) {
    await shop.run(
      sql`update customers set ${textChanges(texts, fields)} metadata = ${JSON.stringify(metadata)}::jsonb, updated_at = now()
        where site_id = ${shop.siteId} and id = ${before.id}`,
    );
  }
  const consented = await consent(shop, before, input);
  const placed = await addAddresses(shop, before, { input, loc });
  return described || consented || placed;
}

const TEXTS = ['first_name', 'last_name', 'phone', 'note', 'locale'] as const;

function textsToWrite(before: CustomerDetails, input: CustomerImport, overwrite: boolean) {
  const wanted = TEXTS.flatMap((field) => {
    const value = input[field];
    if (!value || value === before[field] || (before[field] && !overwrite)) return [];
    return [[field, value] as const];
  });
  return Object.fromEntries(wanted) as Partial<Record<(typeof TEXTS)[number], string>>;
}

function sameTexts(one: Metadata, other: Metadata): boolean {
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => one[key] === other[key]);
}

const MOST_METADATA = 50;

function refuseMoreThan(max: number, all: unknown[], loc: Place): void {
  if (all.length <= max) return;
  const msg = `With those that the customer has here already, these are ${all.length}; there is room for ${max}.`;
  throw new ValidationError([{ loc, msg, type: 'too_long', ctx: { max } }]);
}

/** A decision that was made here stays. */
async function consent(
  shop: Shop,
  { id, marketing_opt_in, marketing_consents }: CustomerDetails,
  input: CustomerImport,
): Promise<boolean> {
  if (!input.marketing_opt_in || marketing_opt_in || marketing_consents.length > 0) return false;
  const at = input.marketing_opt_in_at;
  const wording = input.marketing_wording ?? null;
  await consents.decide(shop, id, { granted: true, source: 'import', wording, ...(at && { at }) });
  return true;
}

const ADDRESS = [
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

async function addAddresses(
  shop: Shop,
  before: CustomerDetails,
  { input, loc }: Pick<CheckedRow, 'input' | 'loc'>,
): Promise<boolean> {
  const known = new Set(before.addresses.map(keyOf));
  const fresh = (input.addresses ?? []).filter((address) => {
    const key = keyOf(address);
    return !known.has(key) && known.add(key);
  });
  refuseMoreThan(addresses.MAX_ADDRESSES, [...before.addresses, ...fresh], [...loc, 'addresses']);
  const marked = before.addresses.length > 0 ? undefined : fresh.find(({ is_default }) => is_default);
  for (const address of fresh) {
    const { is_default: _, ...fields } = address;
    await addresses.addImported(shop, before.id, fields, address === marked);
  }
  return fresh.length > 0;
}

function keyOf(address: Partial<Record<(typeof ADDRESS)[number], string | null>>): string {
  return JSON.stringify(ADDRESS.map((field) => address[field] || null));
}
