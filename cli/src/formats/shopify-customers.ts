import type { CustomerImport, CustomerImportAddress } from '@commerce-backend/spec';
import type { CsvRow } from './csv-records.ts';
import { otherColumnsOf } from './other-columns.ts';
import type { CustomerRead } from './reading.ts';
import { findColumns, RowReader } from './row-reader.ts';
import { tagsOf } from './shopify-columns.ts';

/** The columns of Shopify's customers CSV that the import uses, with their current and former names. */
const COLUMNS = {
  email: ['Email'],
  firstName: ['First Name'],
  lastName: ['Last Name'],
  phone: ['Phone'],
  accepts: ['Accepts Email Marketing', 'Accepts Marketing'],
  company: ['Default Address Company', 'Company'],
  address1: ['Default Address Address1', 'Address1'],
  address2: ['Default Address Address2', 'Address2'],
  city: ['Default Address City', 'City'],
  state: ['Default Address Province Code', 'Province Code'],
  country: ['Default Address Country Code', 'Country Code'],
  zip: ['Default Address Zip', 'Zip'],
  addressPhone: ['Default Address Phone'],
  note: ['Note'],
  tags: ['Tags'],
} as const;

type Column = keyof typeof COLUMNS;
type Row = RowReader<Column>;

/** The column of each customer field, so that validation errors of the server can name the column. */
const COLUMN_OF: Record<string, Column> = {
  email: 'email',
  first_name: 'firstName',
  last_name: 'lastName',
  phone: 'phone',
  marketing_opt_in: 'accepts',
  note: 'note',
  metadata: 'tags',
};
const ADDRESS_COLUMN_OF: Record<string, Column> = {
  first_name: 'firstName',
  last_name: 'lastName',
  company: 'company',
  address1: 'address1',
  address2: 'address2',
  city: 'city',
  state: 'state',
  country: 'country',
  postal_code: 'zip',
  phone: 'addressPhone',
};

const YES_OR_NO = { yes: true, no: false, true: true, false: false };

/** Whether these column names in lower case are those of Shopify's customers CSV. */
export function isShopifyCustomers(names: ReadonlySet<string>): boolean {
  const telling = [...COLUMNS.accepts, 'Total Spent', 'Default Address City'];
  return names.has('email') && telling.some((name) => names.has(name.toLowerCase()));
}

/** Reads customers from Shopify's CSV, one per row. Each unsupported column causes one warning. */
export async function* readShopifyCustomers(
  header: string[],
  rows: AsyncIterable<CsvRow>,
  warn: (line: number, message: string) => void,
): AsyncGenerator<CustomerRead> {
  const columns = findColumns(header, COLUMNS);
  const others = otherColumnsOf(header, columns);
  for await (const { line, cells, problem } of rows) {
    if (problem !== undefined) {
      yield { line, errors: [{ line, field: 'row', message: problem }] };
      continue;
    }
    const row = new RowReader(columns, line, cells);
    others.note(row);
    const customer = customerOf(row, (message) => warn(line, message));
    // Customers of a point of sale often have no e-mail.
    const [phone = ''] = [row.text('phone'), row.text('addressPhone')].map(withoutApostrophe).filter(Boolean);
    if (!customer.email && phone) Object.assign(customer, { phone });
    if (!customer.email && !phone) row.refuse('email', 'A customer needs an e-mail or a phone number.');
    const person = [row.text('firstName'), row.text('lastName')].filter(Boolean).join(' ');
    const name = customer.email || [person, phone].filter(Boolean).join(', ');
    if (row.errors.length > 0) yield { line, name, errors: row.errors };
    else yield { line, item: customer, name, placeOf: (loc) => ({ line, field: row.header(columnOf(loc)) }) };
  }
  others.tell(warn);
}

function columnOf([field, , part]: readonly (string | number)[]): Column {
  const column = field === 'addresses' ? ADDRESS_COLUMN_OF[String(part)] : COLUMN_OF[String(field)];
  return column ?? (field === 'addresses' ? 'address1' : 'email');
}

function customerOf(row: Row, warn: (message: string) => void): CustomerImport {
  const names = { ...given('first_name', row.text('firstName')), ...given('last_name', row.text('lastName')) };
  const tags = keptTags(row.text('tags'), warn);
  const address = addressOf(row);
  return {
    ...given('email', row.text('email')),
    ...names,
    ...given('phone', withoutApostrophe(row.text('phone'))),
    ...given('note', row.text('note')),
    ...(row.word('accepts', YES_OR_NO) && { marketing_opt_in: true }),
    ...(tags !== '' && { metadata: { tags } }),
    ...(address && { addresses: [{ ...names, ...address, is_default: true }] }),
  };
}

function addressOf(row: Row): CustomerImportAddress | undefined {
  const address = {
    ...given('company', row.text('company')),
    ...given('address1', row.text('address1')),
    ...given('address2', row.text('address2')),
    ...given('city', row.text('city')),
    ...given('state', row.text('state')),
    ...given('country', row.text('country').toUpperCase()),
    ...given('postal_code', withoutApostrophe(row.text('zip'))),
    ...given('phone', withoutApostrophe(row.text('addressPhone'))),
  };
  return Object.keys(address).length > 0 ? address : undefined;
}

/** An object with the field, or without fields if the cell is empty. */
export function given(field: string, text: string): Record<string, string> {
  return text === '' ? {} : { [field]: text };
}

/** Removes the apostrophe that Shopify writes before digits, so that spreadsheets keep a leading zero or plus sign. */
export function withoutApostrophe(cell: string): string {
  return cell.replace(/^'/, '').trim();
}

/** Maximum length of a metadata value. */
const LONGEST_TAGS = 500;

/** Joins tags to one metadata value. Drops the first tag that does not fit and all later ones, with a warning. */
export function keptTags(cell: string, warn: (message: string) => void): string {
  let kept = '';
  for (const tag of tagsOf(cell)) {
    const longer = kept === '' ? tag : `${kept}, ${tag}`;
    if (longer.length > LONGEST_TAGS) {
      warn(`The tags have more than ${LONGEST_TAGS} characters: those from "${tag.slice(0, 60)}" on are left out.`);
      break;
    }
    kept = longer;
  }
  return kept;
}
