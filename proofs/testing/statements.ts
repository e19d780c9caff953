/** Watches every SQL statement of the server, and makes statements fail on demand. */

import pg from 'pg';

type Listener = (text: string) => void;

interface Fault {
  matches: RegExp;
  /** If set, only the first match after a statement that matches this fails, on each connection. */
  after: RegExp | undefined;
  /** The connection whose next matching statement fails. */
  armed: pg.Client | undefined;
  /** The failing statement that is sent instead. */
  raise: string;
}

/**
 * Matches the statement that wakes the workers for new jobs, outside of any request (db/wake-workers.ts). The proofs
 * ignore it, because they check the jobs themselves.
 */
const WAKES_WORKERS = /^select pg_notify\('jobs:insert'/;

const listeners = new Set<Listener>();
let fault: Fault | undefined;
let installed = false;

/** Calls `listener` with the text of each statement that the server sends, until the returned function is called. */
export function watchStatements(listener: Listener): () => void {
  install();
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * Makes each matching statement fail with this code and detail, until the returned function is called. With `after`, a
 * statement fails only if it is the first matching one on its connection after a statement that matches `after`. A
 * retried transaction therefore fails too.
 */
export function failStatements(matches: RegExp, code: string, detail: string, after?: RegExp): () => void {
  install();
  const [errcode, message, detailText] = [code, `failed on purpose: ${detail}`, detail].map((text) =>
    pg.escapeLiteral(text),
  );
  const raise = `do $$ begin raise exception using errcode = ${errcode}, message = ${message}, detail = ${detailText}; end $$`;
  fault = { matches, after, armed: undefined, raise };
  return () => {
    fault = undefined;
  };
}

/** The server's connections run as commerce_app. The proofs' own connections are ignored. */
function install(): void {
  if (installed) return;
  installed = true;
  const send = pg.Client.prototype.query as (this: pg.Client, ...args: unknown[]) => unknown;
  const watched = function (this: pg.Client, ...args: unknown[]): unknown {
    const { connectionParameters } = this as unknown as { connectionParameters?: { options?: string } };
    if (connectionParameters?.options?.includes('role=commerce_app')) {
      const [first] = args;
      const text = typeof first === 'string' ? first : ((first as { text?: string }).text ?? '');
      if (fault && (!fault.after || fault.armed === this) && fault.matches.test(text)) {
        fault.armed = undefined;
        const { raise } = fault;
        const callback = args.at(-1);
        return send.apply(this, typeof callback === 'function' ? [raise, callback] : [raise]);
      }
      if (fault?.after?.test(text)) fault.armed = this;
      if (!WAKES_WORKERS.test(text)) for (const listener of listeners) listener(text);
    }
    return send.apply(this, args);
  };
  pg.Client.prototype.query = watched as unknown as typeof pg.Client.prototype.query;
}
