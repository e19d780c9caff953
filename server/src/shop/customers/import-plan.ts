import type { CustomerAddress, CustomerImport, CustomerImportAddress, Metadata } from '@commerce-backend/spec';
import { v7 as uuidv7 } from 'uuid';
import { foldEmail } from '../emails.ts';
import { ValidationError } from '../errors.ts';
import { MAX_ADDRESSES } from './addresses.ts';

export type Place = (string | number)[];

const TEXTS = ['first_name', 'last_name', 'phone', 'note', 'locale'] as const;

export type Fields = Record<(typeof TEXTS)[number], string | null> & {
  id: string;
  email: string;
  metadata: Metadata;
  marketing_opt_in: boolean;
};

export interface Known extends Fields {
  /** Whether the customer has ever decided about marketing mails. */
  has_decided: boolean;
  addresses: CustomerAddress[];
}

export interface Plan {
  index: number;
  input: CustomerImport;
  before: Known | undefined;
  customer: Fields;
  /** Whether a text or the metadata changes. */
  described: boolean;
  /** Whether to store the imported marketing consent. A decision made in this shop takes precedence. */
  consented: boolean;
  addresses: { address: Omit<CustomerImportAddress, 'is_default'>; is_default: boolean }[];
}

const MOST_METADATA = 50;

/**
 * Plans how an import row changes the locked customer `before`, or the new customer to create. Throws a ValidationError
 * if there are too many addresses or too much metadata.
 */
export function planRow(
  { index, input, loc }: { index: number; input: CustomerImport & { email: string }; loc: Place },
  before: Known | undefined,
  overwrite: boolean,
): Plan {
  const own = before?.metadata ?? {};
  const metadata = overwrite ? { ...own, ...input.metadata } : { ...input.metadata, ...own };
  refuseMoreThan(MOST_METADATA, Object.keys(metadata), [...loc, 'metadata']);
  const texts = Object.fromEntries(
    TEXTS.map((field) => [
      field,
      (overwrite ? input[field] || before?.[field] : before?.[field] || input[field]) || null,
    ]),
  ) as Record<(typeof TEXTS)[number], string | null>;
  const consented = input.marketing_opt_in === true && !before?.marketing_opt_in && !before?.has_decided;
  const id = before?.id ?? uuidv7();
  return {
    ...{ index, input, before, consented },
    customer: {
      ...{ id, email: before?.email ?? foldEmail(input.email), ...texts, metadata },
      marketing_opt_in: consented || (before?.marketing_opt_in ?? false),
    },
    described: TEXTS.some((field) => texts[field] !== (before?.[field] || null)) || !sameTexts(metadata, own),
    addresses: addressesToAdd(before?.addresses ?? [], input.addresses ?? [], [...loc, 'addresses']),
  };
}

function sameTexts(one: Metadata, other: Metadata): boolean {
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => one[key] === other[key]);
}

function refuseMoreThan(max: number, all: unknown[], loc: Place): void {
  if (all.length <= max) return;
  const msg = `Together with the existing addresses these are ${all.length}; the limit is ${max}.`;
  throw new ValidationError([{ loc, msg, type: 'too_long', ctx: { max } }]);
}

/**
 * Returns the addresses that the address book does not contain. In an empty address book, the address that the row
 * marks, otherwise the first one, becomes the default.
 */
function addressesToAdd(book: Known['addresses'], given: CustomerImportAddress[], loc: Place): Plan['addresses'] {
  const known = new Set(book.map(keyOf));
  const fresh = given.filter((address) => {
    const key = keyOf(address);
    return !known.has(key) && known.add(key);
  });
  refuseMoreThan(MAX_ADDRESSES, [...book, ...fresh], loc);
  const marked = book.length > 0 ? undefined : (fresh.find(({ is_default }) => is_default) ?? fresh[0]);
  return fresh.map((each) => {
    const { is_default: _, ...address } = each;
    return { address, is_default: each === marked };
  });
}

const ADDRESS = [
  ...(['first_name', 'last_name', 'company', 'address1', 'address2'] as const),
  ...(['city', 'state', 'postal_code', 'country', 'phone'] as const),
];

function keyOf(address: Partial<Record<(typeof ADDRESS)[number], string | null>>): string {
  return JSON.stringify(ADDRESS.map((field) => address[field] || null));
}
