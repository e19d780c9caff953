import type { Constraint } from '../query/parsed-query.ts';

/** The preferences in a sentence. They affect the order of the results, and exclude nothing. */
export interface Preferences {
  price?: 'low' | 'high';
  popular?: boolean;
}

export function preferencesOf(constraints: Constraint[]): Preferences {
  const has = (value: string) => constraints.some((each) => each.kind === 'wish' && each.value === value);
  const price = has('low_price') ? 'low' : has('high_price') ? 'high' : undefined;
  return { ...(price && { price }), popular: has('popular') || has('rating') };
}
