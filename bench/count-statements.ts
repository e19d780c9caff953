/**
 * This file is loaded into a server before the server's own code. It counts the statements sent to the database, and
 * reports the counts on request.
 */

import pg from 'pg';

export interface Sent {
  statements: number;
  /** How often the server waited for the database. Statements that are sent together count once. */
  round_trips: number;
}

const sent: Sent = { statements: 0, round_trips: 0 };
const underWay = new WeakMap<pg.Client, number>();
const { query } = pg.Client.prototype;

pg.Client.prototype.query = function counted(this: pg.Client & { pipeline?: boolean }, ...args: unknown[]) {
  const before = underWay.get(this) ?? 0;
  sent.statements += statementsIn(args[0]);
  if (before === 0 || !this.pipeline) sent.round_trips += 1;
  underWay.set(this, before + 1);
  const done = () => underWay.set(this, (underWay.get(this) ?? 1) - 1);
  const last = args.at(-1);
  if (typeof last === 'function') {
    args[args.length - 1] = (...result: unknown[]) => {
      done();
      return Reflect.apply(last, undefined, result);
    };
    return Reflect.apply(query, this, args);
  }
  const answer = Reflect.apply(query, this, args) as Promise<unknown>;
  answer.then(done, done);
  return answer;
} as typeof query;

/** Counts the statements in a query. A query without parameters may contain several statements. */
function statementsIn(text: unknown): number {
  return typeof text === 'string' ? text.split(';').filter((part) => part.trim() !== '').length : 1;
}

process.on('message', () => process.send?.(sent));
