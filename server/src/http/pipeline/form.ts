/** OAuth clients may send forms. The fields of a form are the fields of the JSON body, as text. */

const FORM = /^application\/x-www-form-urlencoded(?:;|$)/i;
const WHOLE_NUMBER = /^-?\d{1,15}$/;

export function isForm(contentType: string | undefined): boolean {
  return FORM.test(contentType ?? '');
}

/**
 * Converts a form to the JSON body of the contract: integers become numbers, and repeated fields become lists. Unknown
 * fields are ignored (RFC 6749 §3.2). Other values stay text, and validation rejects those that do not fit.
 */
export function fieldsOf(properties: Record<string, Property>, text: string): Record<string, unknown> {
  const form = new URLSearchParams(text);
  const fields = Object.entries(properties).flatMap(([name, property]) => {
    const values = form.getAll(name);
    return values.length > 0 ? [[name, fieldOf(property, values)]] : [];
  });
  return Object.fromEntries(fields);
}

interface Property {
  type?: unknown;
}

function fieldOf({ type }: Property, values: string[]): unknown {
  if (type === 'array') return values;
  const [value = '', ...more] = values;
  // Validation rejects the list if the schema expects a single value.
  if (more.length > 0) return values;
  return type === 'integer' && WHOLE_NUMBER.test(value) ? Number(value) : value;
}
