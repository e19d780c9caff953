import type { Constraint } from '../query/parse.ts';

/** What the sentence prefers without excluding anything else. */
export interface Preferences {
  price?: 'low' | 'high';
  popular?: boolean;
}

/** The soft wishes: they move the order, and leave nothing out. */
export function preferencesOf(constraints: Constraint[]): Preferences {
  const has = (value: string) => constraints.some((each) => each.kind === 'wish' && each.value === value);
  const price = has('low_price') ? 'low' : has('high_price') ? 'high' : undefined;
  return { ...(price && { price }), popular: has('popular') || has('rating') };
}
