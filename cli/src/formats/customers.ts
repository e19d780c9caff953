import type { CustomerDetails, CustomerImport } from '@commerce-backend/spec';
import { readCsv } from './csv-rows.ts';
import { columnsOf, delimiterOf } from './detect.ts';
import { type CustomerRead, FormatError } from './reading.ts';
import { isShopifyCustomers, readShopifyCustomers } from './shopify-customers.ts';
import { readText } from './text-file.ts';

type Warn = (line: number, message: string) => void;

/**
 * The customers of a file in JSON Lines or of Shopify's customers CSV; its content decides which it is. Of customers with the same
 * e-mail the first is taken. Throws a FormatError when the format is unknown, and the file system's own errors.
 */
export async function* readCustomers(path: string, warn: Warn): AsyncGenerator<CustomerRead> {
  const text = (await readText(path)).replace(/^\uFEFF/, '');
  const firsts = new Map<string, number>();
  for await (const read of readsOf(path, text, warn)) {
    const email = 'customer' in read ? foldedEmail(read.customer) : undefined;
    const first = email === undefined ? undefined : firsts.get(email);
    if (email === undefined || first === undefined) {
      if (email !== undefined) firsts.set(email, read.line);
      yield read;
      continue;
    }
    const { line } = read;
    const field = ('fieldOf' in read && read.fieldOf?.(['email'])) || 'email';
    const message = `Line ${first} has this e-mail already: make one line of the two.`;
    yield { line, email, errors: [{ line, field, message }] };
  }
}

function foldedEmail({ email }: { email?: unknown }): string | undefined {
  return typeof email === 'string' ? email.trim().toLowerCase() : undefined;
}

async function* readsOf(path: string, text: string, warn: Warn): AsyncGenerator<CustomerRead> {
  if (text.trimStart().startsWith('{')) {
    yield* jsonLines(text, warn);
    return;
  }
  if (!isShopifyCustomers(columnsOf(text))) throw new FormatError(unknown(path, text));
  const rows = readCsv(chunk(text), delimiterOf(text));
  const header = await rows.next();
  if (header.done) throw new FormatError(`${path} is empty.`);
  if (header.value.problem) throw new FormatError(`The header of ${path} cannot be read: ${header.value.problem}`);
  yield* readShopifyCustomers(header.value.cells, rows, warn);
}

async function* chunk(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}

function unknown(path: string, text: string): string {
  if (text.trim() === '') return `${path} is empty.`;
  if (text.trimStart().startsWith('[')) {
    return `${path} is one JSON array. Write one customer per line instead, for example with: jq -c '.[]' ${path} > customers.jsonl`;
  }
  return (
    `${path} is not recognised as a file of customers: its first line is neither the header of Shopify's customers CSV nor a ` +
    'JSON object. Make it one of them; of a shop of this software, export JSONL: commerce customers export --format jsonl'
  );
}

/** More than the contract takes of any customer. */
const LONGEST_LINE = 800_000;

function* jsonLines(text: string, warn: Warn): Generator<CustomerRead> {
  for (const [index, each] of text.split('\n').entries()) {
    if (each.trim() !== '') yield* jsonLine(each, index + 1, warn);
  }
}

function* jsonLine(text: string, line: number, warn: Warn): Generator<CustomerRead> {
  const refuse = (message: string) => ({ line, errors: [{ line, field: 'json', message }] });
  if (Buffer.byteLength(text) > LONGEST_LINE) {
    yield refuse(`The line has more than ${LONGEST_LINE / 1000} kB: it must hold one customer.`);
    return;
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    yield refuse(`The line is not valid JSON: ${(error as SyntaxError).message}`);
    return;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    yield refuse('The line must hold one JSON object, a customer.');
  } else if (!isExported(value)) {
    yield { line, customer: value as CustomerImport };
  } else if (value.anonymized_at) {
    warn(line, 'The customer was anonymised, and is left out.');
  } else {
    yield { line, customer: importOf(value) };
  }
}

/** Whether a line is of `customers export`, which has more than an import takes. */
function isExported(value: object): value is CustomerDetails {
  return 'marketing_consents' in value && Array.isArray(value.marketing_consents) && 'has_account' in value;
}

function importOf(customer: CustomerDetails): CustomerImport {
  const { email, first_name, last_name, phone, locale, note, metadata, created_at } = customer;
  const given = customer.marketing_opt_in && customer.marketing_consents.find(({ granted }) => granted);
  return {
    ...{ email, first_name, last_name, phone, locale, note, metadata, created_at },
    marketing_opt_in: customer.marketing_opt_in,
    ...(given && { marketing_opt_in_at: given.recorded_at, marketing_wording: given.wording }),
    addresses: customer.addresses.map(({ id: _, created_at: _made, updated_at: _changed, ...address }) => address),
  };
}
