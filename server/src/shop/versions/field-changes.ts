import type { AuditChange } from '@commerce-backend/spec';

const MAX_VALUE = 120;
const MAX_FIELD = 200;

/** Fields whose text may contain personal data, secrets or arbitrary data of other systems. */
const PRIVATE =
  /(^|_)(e?mails?|phones?|address(es)?\d?|street|city|postal_code|legal_name|iban|bic|holder|owner|representative|customers?|secret|token|password|metadata|note|bank_details|seller|vat_id|tax_number)(_|$)/i;

/** Compares two states of a resource, field by field. */
export function fieldChanges(before: object, after: object): AuditChange[] {
  const [old, now] = [fieldsOf(before), fieldsOf(after)];
  const names = [...new Set([...old.keys(), ...now.keys()])];
  return names
    .filter((field) => old.get(field) !== now.get(field))
    .map((field) => ({
      field: field.slice(0, MAX_FIELD).toWellFormed(),
      before: shortened(old.get(field)),
      after: shortened(now.get(field)),
    }));
}

/**
 * The values by their paths. Omits null, missing values, and text within private fields. Only the contract's names of
 * fields decide what is private, so an SKU such as PHONE_1 hides nothing.
 */
function fieldsOf(value: unknown, path = '', isPrivate = false, found = new Map<string, string>()) {
  if (value === null || value === undefined) return found;
  if (Array.isArray(value) && value.some((one) => typeof one === 'object')) {
    const named = new Set<string>();
    for (const [i, one] of value.entries()) {
      const name = nameOf(one) ?? String(i + 1);
      // Imported variants can have the SKU of an earlier one.
      fieldsOf(one, joined(path, named.has(name) ? `${name} (${i + 1})` : name), isPrivate, found);
      named.add(name);
    }
  } else if (typeof value === 'object' && !Array.isArray(value)) {
    for (const [name, one] of Object.entries(value)) {
      if (name !== 'id') fieldsOf(one, joined(path, name), isPrivate || PRIVATE.test(name), found);
    }
  } else if (!isPrivate || typeof value === 'number' || typeof value === 'boolean') {
    found.set(path, Array.isArray(value) ? JSON.stringify(value) : String(value));
  }
  return found;
}

function joined(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

/** The name of a list's element, which stays the same if the list is sorted in another way. */
function nameOf(element: unknown): string | undefined {
  const { sku, name, code, id } = element as Record<string, unknown>;
  return [sku, name, code, id].find((one): one is string => typeof one === 'string' && one !== '');
}

function shortened(value: string | undefined): string | null {
  if (value === undefined) return null;
  return (value.length > MAX_VALUE ? `${value.slice(0, MAX_VALUE)}…` : value).toWellFormed();
}
