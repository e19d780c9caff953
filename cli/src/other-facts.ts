import type { OperationId } from './operations.ts';
import { requestFields } from './request-fields.ts';

/**
 * The texts and numbers that an operation can set and that a view has no line for, by their names: a new field of the contract
 * is shown without a change here. `rest` has the fields without a line.
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

/** `seo_title` is "SEO title". */
function titleOf(name: string): string {
  const words = name.replaceAll('_', ' ').replace(/\b(?:id|seo|sku|url)\b/g, (word) => word.toUpperCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
}
