import type { AuditDetails } from '@commerce-backend/spec';

/** What the audit tells of an agent's call: as it is stored, without what is empty, and as the contract has it. */
export type StoredDetails = Pick<AuditDetails, 'outcome'> & Partial<AuditDetails>;

const MAX_BYTES = 1_024;
const SHORT_QUERY = 100;

/** The JSON to be stored. What makes it too long is left out, the least telling first. */
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

/** As the contract has them; null where there are none, or where they were emptied. */
export function detailsOf(text: string | null): AuditDetails | null {
  if (text === null) return null;
  const none = { query: null, found: null, products: [], code: null, amount: null, currency: null, order_number: null };
  return { ...none, ids: {}, ...(JSON.parse(text) as StoredDetails) };
}
