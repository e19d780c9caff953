import type { AuditDetails } from '@commerce-backend/spec';

/** Details of an agent's call in the audit. Stored without empty fields. */
export type StoredDetails = Pick<AuditDetails, 'outcome'> & Partial<AuditDetails>;

const MAX_BYTES = 1_024;
const SHORT_QUERY = 100;

/** Returns the JSON to store. Removes the least important fields if it is too long. */
export function detailsText(details: StoredDetails): string {
  const { products = [] } = details;
  const short = details.query?.slice(0, SHORT_QUERY) ?? null;
  const shorter: Partial<StoredDetails>[] = [
    {},
    { products: products.slice(0, 2) },
    { products: products.slice(0, 1), query: short },
    { products: [], query: short },
    { products: [], query: short, ids: {} },
  ];
  for (const less of shorter) {
    const text = JSON.stringify(filled({ ...details, ...less }));
    if (Buffer.byteLength(text) <= MAX_BYTES) return text;
  }
  return JSON.stringify({ outcome: details.outcome });
}

function filled(details: StoredDetails): object {
  const empty = (value: unknown) =>
    value === null || value === undefined || (typeof value === 'object' && Object.keys(value).length === 0);
  return Object.fromEntries(Object.entries(details).filter(([, value]) => !empty(value)));
}

/** The details as the API returns them; null if there are none or they were erased. */
export function detailsOf(text: string | null): AuditDetails | null {
  if (text === null) return null;
  const none = { query: null, found: null, products: [], code: null, amount: null, currency: null, order_number: null };
  return { ...none, assistant: null, ids: {}, ...(JSON.parse(text) as StoredDetails) };
}
