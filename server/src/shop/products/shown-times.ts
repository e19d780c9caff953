/**
 * Times of products. PostgreSQL formats times slowly, and most times of a product are equal, so a time that equals
 * another one is not sent.
 */

import sql, { type Sql } from 'sql-template-tag';
import { parseMoment } from '../../db/connect.ts';

/** SQL for a time as text; empty if it equals `other`. */
export function textUnless(column: Sql, other: Sql): Sql {
  return sql`case when ${column} = ${other} then '' else ${column}::text end`;
}

let lastRead = '';
let lastMoment = '';

/** The time as the API returns it. Most times on a page equal the previous one, whose result is cached. */
export function momentOf(text: string): string {
  if (text !== lastRead) {
    lastMoment = parseMoment(text);
    lastRead = text;
  }
  return lastMoment;
}
