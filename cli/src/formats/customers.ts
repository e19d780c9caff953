import type { CustomerDetails, CustomerImport } from '@commerce-backend/spec';
import { columnsOf } from './detect.ts';
import { jsonObjects } from './json-objects.ts';
import { type CustomerRead, FormatError } from './reading.ts';
import { isShopifyCustomers, readShopifyCustomers } from './shopify-customers.ts';
import { openTable, readText } from './text-file.ts';

type Warn = (line: number, message: string) => void;

/**
 * Reads customers from JSON Lines or Shopify's customers CSV; the content decides which. If several have the same
 * e-mail, the first is returned and the others are rejected. Throws a FormatError for an unknown format, and the file
 * system's errors.
 */
export async function* readCustomers(path: string, warn: Warn, encoding?: string): AsyncGenerator<CustomerRead> {
  const text = (await readText(path, encoding)).replace(/^\uFEFF/, '');
  const firsts = new Map<string, number>();
  for await (const read of readsOf(path, text, warn)) {
    const email = 'item' in read ? foldedEmail(read.item) : undefined;
    const first = email === undefined ? undefined : firsts.get(email);
    if (email === undefined || first === undefined) {
      if (email !== undefined) firsts.set(email, read.line);
      yield read;
      continue;
    }
    const { line } = read;
    const field = ('placeOf' in read && read.placeOf?.(['email']).field) || 'email';
    const message = `Line ${first} has this e-mail already: make one line of the two.`;
    yield { line, name: email, errors: [{ line, field, message }] };
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
  const { header, rows } = await openTable(path, text);
  yield* readShopifyCustomers(header, rows, warn);
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

function* jsonLines(text: string, warn: Warn): Generator<CustomerRead> {
  for (const read of jsonObjects(text, 'customer')) {
    if ('errors' in read) yield read;
    else yield* customerOf(read.value, read.line, warn);
  }
}

function* customerOf(value: object, line: number, warn: Warn): Generator<CustomerRead> {
  if (!isExported(value)) {
    const customer = value as CustomerImport;
    yield { line, item: customer, name: foldedEmail(customer) };
  } else if (value.anonymized_at) {
    warn(line, 'The customer was anonymised, and is left out.');
  } else {
    yield { line, item: importOf(value), name: value.email };
  }
}

/** Whether a line was written by `customers export`, which has more fields than imports accept. */
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
