/** Determines the result of each constraint of a sentence (`fate` in the contract). */

import type { Understood } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import type { Constraint } from '../query/parsed-query.ts';
import type { SearchDb } from '../search-db.ts';
import { type Condition, isForeignCurrency, metadataNumber, RATING_KEYS } from './conditions.ts';

/** The constraints in the format of the contract. `failed` has a bit for each condition that the results fail. */
export function constraintOutcomes(
  db: SearchDb,
  constraints: Constraint[],
  conditions: Condition[],
  { failed, unrated }: { failed: number; unrated: ReadonlySet<RatingField> },
): Understood[] {
  return constraints.map((constraint) => {
    const bit = conditions.findIndex((condition) => condition.constraint === constraint);
    const isFailed = bit >= 0 && (failed & (1 << bit)) > 0;
    const { kind, text, start, end, min = null, max = null, currency = null, value = null } = constraint;
    const field = ratingFieldOf(constraint);
    const isUnread = constraint.isUnread || (kind === 'price' && min === null && max === null);
    const isUnknown =
      constraint.isUnknown || (kind === 'price' && isForeignCurrency(db, constraint)) || (field && unrated.has(field));
    const fate = isUnread ? 'not_understood' : isUnknown ? 'not_available' : isFailed ? 'relaxed' : 'applied';
    return { kind, text, start, end, min, max, currency, value, fate };
  });
}

/** Constraints that were given up before the search, marked as relaxed. */
export function relaxed(db: SearchDb, constraints: Constraint[]): Understood[] {
  const outcomes = constraintOutcomes(db, constraints, [], { failed: 0, unrated: new Set() });
  return outcomes.map((each) => ({ ...each, fate: 'relaxed' }));
}

/** The ratings that a sentence can limit: their average, or their number. */
export type RatingField = keyof typeof RATING_KEYS;

function ratingFieldOf({ kind, value }: Constraint): RatingField | undefined {
  if (kind === 'rating' || kind === 'reviews') return kind;
  return kind === 'wish' && value === 'rating' ? 'rating' : undefined;
}

/** The requested rating fields that none of these products has. Sends no statement if none is requested. */
export async function readUnratedFields(
  db: SearchDb,
  constraints: Constraint[],
  product_ids: string[],
): Promise<ReadonlySet<RatingField>> {
  const asked = [...new Set(constraints.flatMap((constraint) => ratingFieldOf(constraint) ?? []))];
  if (asked.length === 0) return new Set();
  const present = await db.one<Record<RatingField, boolean | null>>(
    sql`select bool_or(${metadataNumber(RATING_KEYS.rating)} is not null) as rating,
        bool_or(${metadataNumber(RATING_KEYS.reviews)} is not null) as reviews
      from products p where p.site_id = ${db.siteId} and p.id = any(${product_ids}::uuid[])`,
  );
  return new Set(asked.filter((field) => !present?.[field]));
}
