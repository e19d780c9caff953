/**
 * Converts amounts to decimal strings. The API returns some amounts as decimal strings and others as integers in minor
 * units, and models confuse the two.
 */

import { decimal } from '../shop/money.ts';

type Fields = Record<string, unknown>;

const IN_MINOR_UNITS = /_cents$/;
/** These names are published fields of agent tokens, so the integers are kept next to their decimal strings. */
const KEPT = ['budget_cents', 'budget_used_cents'];

/** Replaces `spent_total_cents: 3582` with `spent_total: "35.82"`, at any depth. */
export function withDecimals(value: unknown, digits: number): unknown {
  if (Array.isArray(value)) return value.map((entry) => withDecimals(entry, digits));
  if (typeof value !== 'object' || value === null) return value;
  const fields = value as Fields;
  const converted = Object.entries(fields).flatMap(([name, field]): [string, unknown][] => {
    if (!IN_MINOR_UNITS.test(name)) return [[name, withDecimals(field, digits)]];
    return namesOf(name, Object.keys(fields)).map((one) => [one, one === name ? field : inDecimals(field, digits)]);
  });
  return Object.fromEntries(converted);
}

/** Converts the properties of an output schema in the same way. Nullable properties have no type in it. */
export function schemasWithDecimals(properties: Record<string, Fields>): Fields {
  const converted = Object.entries(properties).flatMap(([name, schema]): [string, unknown][] => {
    if (!IN_MINOR_UNITS.test(name)) return [[name, schema]];
    return namesOf(name, Object.keys(properties)).map((one) => [
      one,
      one === name || !schema.type ? schema : { type: 'string' },
    ]);
  });
  return Object.fromEntries(converted);
}

/**
 * The names under which an amount is returned. An error contains an object `budget` as well as `budget_cents`, so the
 * amount does not get the plain name there.
 */
function namesOf(name: string, beside: string[]): string[] {
  const plain = name.replace(IN_MINOR_UNITS, '');
  return [...(KEPT.includes(name) ? [name] : []), ...(beside.includes(plain) ? [] : [plain])];
}

function inDecimals(cents: unknown, digits: number): unknown {
  return typeof cents === 'number' ? decimal(cents, digits) : cents;
}
