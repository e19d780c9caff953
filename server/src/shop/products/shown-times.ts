import sql, { type Sql } from 'sql-template-tag';
import { parseMoment } from '../../db/connect.ts';

/** Times of products, as PostgreSQL sends them. Formatting is slow, and most times of a product equal another. */

/** The time as text, or empty text if it equals the other time. */
export function textUnless(column: Sql, other: Sql): Sql {
  return sql`case when ${column} = ${other} then '' else ${column}::text end`;
}

let lastRead = '';
let lastMoment = '';

/** The time in the form of the contract. Most times on a page equal the previous one, which is cached. */
export function momentOf(text: string): string {
  if (text !== lastRead) {
    lastMoment = parseMoment(text);
    lastRead = text;
  }
  return lastMoment;
}
