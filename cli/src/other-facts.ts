import type { OperationId } from './operations.ts';
import { requestFields } from './request-fields.ts';

/**
 * Returns the texts and numbers in `rest` that an operation can set, by label. A view uses this for fields that it does
 * not format itself, so that new fields of the contract are shown without a code change.
 */
export function otherFacts(id: OperationId, rest: object): Record<string, string | number> {
  const values: Partial<Record<string, unknown>> = { ...rest };
  const shown = requestFields(id).flatMap(({ name }) => {
    const value = values[name];
    const isSet = typeof value === 'number' || (typeof value === 'string' && value !== '');
    return isSet ? [[titleOf(name), value] as const] : [];
  });
  return Object.fromEntries(shown);
}

/** Converts `seo_title` to "SEO title". */
function titleOf(name: string): string {
  const words = name.replaceAll('_', ' ').replace(/\b(?:id|seo|sku|url)\b/g, (word) => word.toUpperCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
}
