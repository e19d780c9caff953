import type { AuditChange, AuditDetails, AuditEvent } from '@commerce-backend/spec';

/**
 * The audit details of a call: for calls by agents and assistants, the details of the request and its result; for calls
 * by staff or with an API key, the changes. Stored without empty fields.
 */
export type StoredDetails = Partial<AuditDetails> & {
  changes?: AuditChange[];
  /** The number of changes that are not stored. Set by `detailsText`. */
  more_changes?: number;
};

const MAX_BYTES = 1_024;
/** Equals the constraint of the column. */
const MAX_BYTES_WITH_CHANGES = 4_096;
const MAX_CHANGES = 40;
const SHORT_QUERY = 100;

/** Returns the JSON to store. Removes the least important fields if it is too long. */
export function detailsText({ changes = [], ...details }: StoredDetails): string {
  const text = JSON.parse(agentText(details)) as StoredDetails;
  if (changes.length === 0) return JSON.stringify(text);
  // Leaves out the last changes of a long list, because the row's `fields` also names the fields.
  for (let kept = Math.min(changes.length, MAX_CHANGES); ; kept -= 1) {
    const more = changes.length - kept;
    const whole = JSON.stringify({ ...text, changes: changes.slice(0, kept), ...(more > 0 && { more_changes: more }) });
    if (kept === 0 || Buffer.byteLength(whole) <= MAX_BYTES_WITH_CHANGES) return whole;
  }
}

function agentText(details: Partial<AuditDetails>): string {
  const { products = [] } = details;
  const short = details.query?.slice(0, SHORT_QUERY) ?? null;
  const shorter: Partial<AuditDetails>[] = [
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

function filled(details: Partial<AuditDetails>): object {
  const empty = (value: unknown) =>
    value === null || value === undefined || (typeof value === 'object' && Object.keys(value).length === 0);
  return Object.fromEntries(Object.entries(details).filter(([, value]) => !empty(value)));
}

/** The details and changes as the API returns them; details are null if there are none or they were erased. */
export function detailsOf(text: string | null): Pick<AuditEvent, 'details' | 'changes' | 'more_changes'> {
  if (text === null) return { details: null, changes: [], more_changes: 0 };
  const { changes = [], more_changes = 0, ...stored } = JSON.parse(text) as StoredDetails;
  const { outcome } = stored;
  if (outcome === undefined) return { details: null, changes, more_changes };
  const none = { query: null, found: null, products: [], code: null, amount: null, currency: null, order_number: null };
  return { details: { ...none, assistant: null, ids: {}, ...stored, outcome }, changes, more_changes };
}
