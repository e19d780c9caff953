/**
 * Preloaded into a server process. Between two statements a server only computes, so each database response is a place
 * to fail. When the proof sends a command, the server throws, exits, hangs or loses the connection once, at the
 * n-th response after the command.
 */

import pg from 'pg';

export interface Failpoint {
  /** The number of the response at which to fail, counted from now; 0 for none. */
  after: number;
  fault: Fault;
}

export type Fault = 'throw' | 'exit' | 'hang' | 'cut';

/**
 * A server's message: it has received an order, or has reached the place. A server with the fault `exit` does not send
 * `reached`.
 */
export type FailpointNews = 'armed' | 'reached';

/** Asks for the number of responses since the last order; the reply is a number. */
export interface CountOrder {
  count: 'answers';
}

const HANG_MS = 10_000;

let failpoint: Failpoint | undefined;
let answers = 0;

process.on('message', (order: Failpoint | CountOrder | object) => {
  if ('count' in order) process.send?.(answers);
  if (!('after' in order)) return;
  failpoint = order;
  answers = 0;
  sendNews('armed');
});
// The channel must not keep the server alive.
process.channel?.unref();

function sendNews(news: FailpointNews): void {
  process.send?.(news);
}

const { query } = pg.Client.prototype;

pg.Client.prototype.query = function failing(this: pg.Client, ...args: unknown[]) {
  const last = args.at(-1);
  if (typeof last !== 'function') {
    const answer = Reflect.apply(query, this, args) as Promise<unknown>;
    return answer.then((result) => passed(this).then(() => result));
  }
  args[args.length - 1] = (error: Error | null, result: unknown) => {
    if (error) Reflect.apply(last, undefined, [error]);
    else
      passed(this).then(
        () => Reflect.apply(last, undefined, [null, result]),
        (failure) => Reflect.apply(last, undefined, [failure]),
      );
  };
  return Reflect.apply(query, this, args);
} as typeof query;

async function passed(client: pg.Client): Promise<void> {
  answers += 1;
  if (answers !== failpoint?.after) return;
  if (failpoint.fault === 'exit') process.exit(1);
  sendNews('reached');
  if (failpoint.fault === 'cut') (client as unknown as { connection: pg.Connection }).connection.stream.destroy();
  if (failpoint.fault !== 'hang') throw new Error('A failpoint was reached.');
  await new Promise((done) => setTimeout(done, HANG_MS));
}
