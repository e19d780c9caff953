import pg from 'pg';

/** Loaded into a server before its own code: counts the statements it sends, and tells the count to whoever asks. */
let statements = 0;
const { query } = pg.Client.prototype;

pg.Client.prototype.query = function counted(this: pg.Client, ...args: unknown[]) {
  statements += 1;
  return Reflect.apply(query, this, args);
} as typeof query;

process.on('message', () => process.send?.({ statements }));
