import type { Understood } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import type { Constraint } from '../query/parse.ts';
import type { SearchDb } from '../search-db.ts';
import { type Condition, isForeign, METADATA, metadataNumber } from './conditions.ts';

/** What became of each constraint, when the products found fail the conditions of these bits. */
export function fatesOf(
  db: SearchDb,
  constraints: Constraint[],
  conditions: Condition[],
  { missed, unstated }: { missed: number; unstated: ReadonlySet<Opinion> },
): Understood[] {
  return constraints.map((constraint) => {
    const bit = conditions.findIndex((condition) => condition.constraint === constraint);
    const isMissed = bit >= 0 && (missed & (1 << bit)) > 0;
    const { kind, text, start, end, min = null, max = null, currency = null, value = null } = constraint;
    const opinion = opinionOf(constraint);
    const cannotBeJudged = (kind === 'price' && isForeign(db, constraint)) || (opinion && unstated.has(opinion));
    const fate = cannotBeJudged ? 'not_available' : isMissed ? 'relaxed' : 'applied';
    return { kind, text, start, end, min, max, currency, value, fate };
  });
}

/** What customers think, as far as a sentence may ask for it. */
export type Opinion = keyof typeof METADATA;

function opinionOf({ kind, value }: Constraint): Opinion | undefined {
  if (kind === 'rating' || kind === 'reviews') return kind;
  return kind === 'wish' && value === 'rating' ? 'rating' : undefined;
}

/** Of the opinions asked for those that none of these products states. No statement where none is asked for. */
export async function unstatedOpinions(
  db: SearchDb,
  constraints: Constraint[],
  product_ids: string[],
): Promise<ReadonlySet<Opinion>> {
  const asked = [...new Set(constraints.flatMap((constraint) => opinionOf(constraint) ?? []))];
  if (asked.length === 0) return new Set();
  const stated = await db.one<Record<Opinion, boolean | null>>(
    sql`select bool_or(${metadataNumber(METADATA.rating)} is not null) as rating,
        bool_or(${metadataNumber(METADATA.reviews)} is not null) as reviews
      from products p where p.site_id = ${db.siteId} and p.id = any(${product_ids}::uuid[])`,
  );
  return new Set(asked.filter((opinion) => !stated?.[opinion]));
}
