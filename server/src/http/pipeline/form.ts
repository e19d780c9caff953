/** Forms of OAuth clients, whose fields are those of the JSON body, all as text. */

const FORM = /^application\/x-www-form-urlencoded(?:;|$)/i;
const WHOLE_NUMBER = /^-?\d{1,15}$/;

export function isForm(contentType: string | undefined): boolean {
  return FORM.test(contentType ?? '');
}

/**
 * Converts a form to the JSON of the contract: whole numbers become numbers, and repeated fields become lists. Unknown
 * fields are ignored, as RFC 6749 §3.2 requires. Values that do not fit stay text, which the validation then rejects.
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
  // A repeated field becomes a list, which the validation rejects if text is expected.
  if (more.length > 0) return values;
  return type === 'integer' && WHOLE_NUMBER.test(value) ? Number(value) : value;
}
