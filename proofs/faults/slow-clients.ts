import { readdir } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import { freePort } from '../../server/src/db/free-port.ts';
import { type Figures, type Proof, pick, type Trial, Violations } from '../testing/proof.ts';
import { rawRequest } from '../testing/raw-http.ts';
import { ServerProcess, withDirectory } from '../testing/server-process.ts';
import { openTenant } from '../testing/site.ts';
import { judgeReads } from './reads-under-load.ts';

/** The limit that docs/limits.md promises for a process. */
const MAX_CONNECTIONS = 4_096;
/** The limit for the p99 of catalogue reads. Checked in the full form only, which needs an idle machine. */
const GOAL_MS = 50;
const READS_A_SECOND = 50;
/** The open files that are not connections of clients: those of the pool, the log and Node. */
const FILES_OF_ITS_OWN = 64;

/** The number of connections opened before each pause, so that all are open within three seconds. */
const AT_ONCE = 25;
const PAUSE_MS = 10;

/**
 * Slow clients send their headers or body byte by byte, and silent ones open more connections than the server keeps,
 * while others browse the catalogue.
 */
export const I2: Proof = {
  id: 'I2',
  promise: 'Slow clients and thousands of silent connections do not delay other clients, and are disconnected in time.',
  run: (trial) => withDirectory((directory) => attack(trial, directory)),
};

async function attack({ size, databaseUrl }: Trial, directory: string): Promise<Figures> {
  const env = { DATABASE_URL: databaseUrl, DATA_DIR: directory, RATE_LIMITS: 'off', LOG_LEVEL: 'warn', ROLE: 'api' };
  const shop = await openTenant(databaseUrl);
  const server = await new ServerProcess(await freePort(), env).readyAtLast();
  const violations = new Violations();
  const sockets = new Set<Socket>();
  const headers = { 'X-Site-ID': shop.site_id, 'X-Service-Token': shop.storefront_token };
  const [silent, dawdling] = [pick(size, 4_500, 5_000), pick(size, 50, 500)];
  const body = { ...headers, 'Content-Type': 'application/json', 'Content-Length': '1000' };
  try {
    const url = `${server.baseUrl}/api/storefront/products`;
    // A new server compiles code during its first request.
    await fetch(url, { headers });
    const stopCounting = countFiles(server.pid);
    const coming = (async () => {
      await open(sockets, server.port, dawdling, 'GET /api/storefront/products HTTP/1.1\r\nHost: x\r\nX-Slow: ');
      await open(sockets, server.port, dawdling, `${rawRequest('POST', '/api/storefront/checkout', body)}{`);
      await open(sockets, server.port, silent, '');
    })();
    // Reads from a thread that the slow clients do not delay. Reconnects after every ten requests, to test new
    // connections too.
    const meanwhile = await autocannon({
      ...{ url, headers, connections: 4, overallRate: READS_A_SECOND, reconnectRate: 10, workers: 1 },
      ...pick(size, { amount: 4 * READS_A_SECOND, timeout: 60 }, { duration: 45 }),
    });
    await coming;
    const kept = await stopCounting();
    if (kept > MAX_CONNECTIONS + FILES_OF_ITS_OWN) {
      violations.add(`the server had ${kept} files and connections open, for at most ${MAX_CONNECTIONS} connections`);
    }
    judgeReads(violations, size, meanwhile);
    if (size === 'full' && meanwhile.latency.p99 >= GOAL_MS) {
      violations.add(`p99 of catalogue reads during the attack: ${meanwhile.latency.p99} ms, above the limit`);
    }
    // The server closes a connection without complete headers after 10 s, and one without a complete body after 30 s.
    // It checks every 2 s.
    if (size === 'full' && sockets.size > 0)
      violations.add(`${sockets.size} slow connections were not closed within 45 s`);
    const note = `${kept} files and connections of the server at most; catalogue meanwhile p99 ${meanwhile.latency.p99} ms`;
    return { tried: silent + 2 * dawdling, unit: 'slow connections', violations: violations.list, note };
  } finally {
    for (const socket of sockets) socket.destroy();
    await server.end('SIGKILL');
  }
}

/**
 * Counts the open files of a process four times a second; connections are files. The returned function stops that, and
 * returns the highest count.
 */
function countFiles(pid: number): () => Promise<number> {
  let [over, most] = [false, 0];
  const count = async () => {
    while (!over) {
      most = Math.max(most, (await readdir(`/proc/${pid}/fd`).catch(() => [])).length);
      await sleep(250);
    }
  };
  const counting = count();
  return async () => {
    over = true;
    await counting;
    return most;
  };
}

/** Opens connections that send this text and then one byte a second, or nothing if the text is empty. */
async function open(sockets: Set<Socket>, port: number, many: number, beginning: string): Promise<void> {
  for (let n = 0; n < many; n += 1) {
    if (n % AT_ONCE === AT_ONCE - 1) await sleep(PAUSE_MS);
    const socket = connect({ port, host: '127.0.0.1' });
    sockets.add(socket);
    let timer: NodeJS.Timeout | undefined;
    socket.on('connect', () => {
      if (!beginning) return;
      socket.write(beginning);
      timer = setInterval(() => socket.write('x'), 1_000);
    });
    socket.on('data', () => {});
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      clearInterval(timer);
    });
  }
}
