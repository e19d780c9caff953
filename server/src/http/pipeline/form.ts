/** Forms, as OAuth clients send them: the same fields as the JSON body, all of them text. */

const FORM = /^application\/x-www-form-urlencoded(?:;|$)/i;
const WHOLE_NUMBER = /^-?\d{1,15}$/;

export function isForm(contentType: string | undefined): boolean {
  return FORM.test(contentType ?? '');
}

/**
 * The fields of a form as the JSON that the contract asks for: whole numbers become numbers, and repeated fields lists. Unknown
 * fields are ignored, as RFC 6749 §3.2 requires; what does not fit stays text, for the validation.
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
  // A field given twice becomes a list, which the validation refuses where text is expected.
  if (more.length > 0) return values;
  return type === 'integer' && WHOLE_NUMBER.test(value) ? Number(value) : value;
}
