import sql, { type Sql } from 'sql-template-tag';
import { parseMoment } from '../../db/connect.ts';

/** Times of products as PostgreSQL sends them, which it takes long to write: most are the same as another of the product. */

/** The time as a text, empty where it is the same as the other. */
export function textUnless(column: Sql, other: Sql): Sql {
  return sql`case when ${column} = ${other} then '' else ${column}::text end`;
}

let lastRead = '';
let lastMoment = '';

/** In the form of the contract. Most times on a page are the same as the one before. */
export function momentOf(text: string): string {
  if (text !== lastRead) {
    lastMoment = parseMoment(text);
    lastRead = text;
  }
  return lastMoment;
}
