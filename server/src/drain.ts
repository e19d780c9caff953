/**
 * How the process shuts down, in order:
 *
 * 1. On SIGTERM or SIGINT, `/readyz` returns 503, and every response has `Connection: close`. For `drainSeconds`,
 * requests are still served, until the load balancer has noticed.
 * 2. The server accepts no new connections, and closes idle ones once a second.
 * 3. Requests in flight have 20 s. Then their connections are closed.
 * 4. Jobs, Redis, the database and the other parts are stopped, one after the other. The process exits with 0.
 *
 * The process exits with 1 if this takes longer than 30 s. A second signal ends it immediately. After an uncaught
 * error, the process drains for 1 s and exits with 1, because its state is unknown.
 */

import type { Server, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';

export interface Drain {
  server: Server;
  /** Read by `/readyz`. */
  readiness: { draining: boolean };
  /** Called in this order. If one fails, the failure is logged and the next one is called. */
  stops: readonly (() => Promise<unknown>)[];
  /** The log, whose `cause` serializer must redact secrets. */
  logger: Logger;
  drainSeconds: number;
}

const IN_FLIGHT_SECONDS = 20;
const HARD_LIMIT_SECONDS = 30;
const FATAL_IN_FLIGHT_SECONDS = 1;
const FATAL_HARD_LIMIT_SECONDS = 5;
const IDLE_SWEEP_MS = 1_000;
// npm forwards a Ctrl-C that the terminal has already sent to this process. Both signals count as one.
const ECHO_MS = 250;

/** Installs the signal handlers. Call it once. */
export function drainOnSignal({ server, readiness, stops, logger, drainSeconds }: Drain): void {
  const closing = closeConnectionsWhile(server, readiness);
  let since: number | undefined;

  const end = async (code: number, notice: number, inFlight: number, hardLimit: number) => {
    since = Date.now();
    readiness.draining = true;
    const overdue = setTimeout(() => {
      logger.fatal('the process did not end in time');
      process.exit(1);
    }, hardLimit * 1_000);
    if (notice > 0) await sleep(notice * 1_000);
    await closing(inFlight);
    for (const stop of stops)
      await stop().catch((cause) => logger.error({ cause }, 'a part of the server did not stop'));
    clearTimeout(overdue);
    logger.info({ duration_ms: Date.now() - since }, 'stopped');
    process.exit(code);
  };

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (since !== undefined && Date.now() - since < ECHO_MS) return;
      if (since !== undefined) return process.exit(1);
      logger.info({ signal }, 'draining');
      void end(0, drainSeconds, IN_FLIGHT_SECONDS, HARD_LIMIT_SECONDS);
    });
  }
  const failed = (cause: unknown) => {
    logger.fatal({ cause }, 'an error was not caught');
    if (since === undefined) void end(1, 0, FATAL_IN_FLIGHT_SECONDS, FATAL_HARD_LIMIT_SECONDS);
  };
  process.on('uncaughtException', failed);
  process.on('unhandledRejection', failed);
}

/** Tracks the server's responses. The returned function does steps 2 and 3, and resolves when no connection is left. */
function closeConnectionsWhile(server: Server, readiness: { draining: boolean }) {
  const open = new Set<ServerResponse>();
  const sayClose = (res: ServerResponse) => {
    if (!res.headersSent) res.setHeader('Connection', 'close');
  };
  // This listener runs before the app's listener, which may send the headers.
  server.prependListener('request', (_req, res: ServerResponse) => {
    open.add(res);
    res.once('close', () => open.delete(res));
    if (readiness.draining) sayClose(res);
  });

  return async (inFlightSeconds: number): Promise<void> => {
    for (const res of open) sayClose(res);
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeIdleConnections();
    const sweep = setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_MS);
    const limit = new AbortController();
    const late = sleep(inFlightSeconds * 1_000, undefined, { signal: limit.signal }).catch(() => {});
    await Promise.race([closed, late]);
    limit.abort();
    clearInterval(sweep);
    server.closeAllConnections();
  };
}
