import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { freePort } from '../../server/src/db/free-port.ts';
import { type Operation, operationTable } from '../../server/src/http/contract/contract.ts';
import { mintToken } from '../../server/src/shop/tokens.ts';
import { type Proof, pick, type Trial, Violations } from '../testing/proof.ts';
import { RawClient, rawRequest } from '../testing/raw-http.ts';
import { ServerProcess, withDirectory } from '../testing/server-process.ts';
import { openTenant } from '../testing/site.ts';
import { operationOf } from '../testing/tenant.ts';
import { bodyFieldsOf } from './body-fields.ts';
import { Pulse } from './pulse.ts';
import { bodiesInFields, wideBodies } from './wide-and-deep-bodies.ts';

const MEGABYTE = 1_048_576;
const HUGE_BYTES = 100 * MEGABYTE;
/**
 * The limits for memory growth and for the longest stall. They are higher in the short form, because other tests share
 * the CPU; a real regression takes seconds.
 */
const LIMITS = {
  short: { growthBytes: 100 * MEGABYTE, stallMs: 400 },
  tenth: { growthBytes: 50 * MEGABYTE, stallMs: 50 },
  full: { growthBytes: 50 * MEGABYTE, stallMs: 50 },
};
/**
 * The limit for a whole run: garbage that is not yet collected adds to the memory of one attack, but a leak would keep
 * growing.
 */
const WHOLE_GROWTH_LIMIT_BYTES = 100 * MEGABYTE;
/** A stall counts only if it occurs in all of this many repetitions, because a single one may be due to the machine. */
const REPETITIONS = 5;

/**
 * Sends bodies that are too large, too deep or too wide. None may be accepted, except by reads, which ignore their
 * body, and none may delay other requests.
 */
export const I3: Proof = {
  id: 'I3',
  promise: 'Oversized bodies are rejected without stalling the server or filling its memory.',
  run: (trial) => withDirectory((directory) => attack(trial, directory)),
};

async function attack({ size, databaseUrl }: Trial, directory: string) {
  const env = { DATABASE_URL: databaseUrl, DATA_DIR: directory, RATE_LIMITS: 'off', ROLE: 'api', LOG_LEVEL: 'warn' };
  const server = await new ServerProcess(await freePort(), env).mustBeReady();
  const pulse = await Pulse.of(server.port);
  try {
    const known: Secrets = await openTenant(databaseUrl);
    // A key of valid form that was never issued. It passes all checks that need no database.
    const [api_key, storefront_token, sync_secret] = [mintToken('api_key'), mintToken('storefront'), mintToken('sync')];
    const forged = { site_id: known.site_id, api_key, storefront_token, sync_secret };
    const attacks = attacksOn(size, { known, forged });
    await warmUp(server.port, known, pick(size, 8, 200));
    const rssBefore = await rssOf(server.pid);
    const violations = new Violations();
    const { growthBytes, stallMs } = LIMITS[size];
    let highest = rssBefore;
    for (const { name, send, refusedWith } of attacks) {
      let least = Number.POSITIVE_INFINITY;
      const rssAtFirst = await rssOf(server.pid);
      for (let repetition = 0; repetition < REPETITIONS && least >= stallMs / 2; repetition += 1) {
        await pulse.reset();
        const status = await send(server.port);
        if (!refusedWith.includes(status))
          violations.add(`${name}: expected ${refusedWith.join(' or ')}, got ${status}`);
        least = Math.min(least, await pulse.longest());
        const rss = await rssOf(server.pid);
        highest = Math.max(highest, rss);
        if (rss - rssAtFirst >= growthBytes) violations.add(`${name}: memory grew by ${megabytes(rss - rssAtFirst)}`);
      }
      if (least >= stallMs) violations.add(`${name}: /healthz waited ${least.toFixed(0)} ms`);
    }
    const growth = highest - rssBefore;
    if (growth >= WHOLE_GROWTH_LIMIT_BYTES) violations.add(`Memory grew by ${megabytes(growth)} over the whole run`);
    if (!server.running) violations.add('The server process ended');
    const note = `memory grew by ${megabytes(growth)}`;
    return { tried: attacks.length, unit: 'kinds of oversized request', violations: violations.list, note };
  } finally {
    await pulse.end();
    await server.end('SIGKILL');
  }
}

interface Attack {
  name: string;
  /** Returns the status, or 0 if the server closed the connection. */
  send(port: number): Promise<number>;
  refusedWith: number[];
}

const LIMIT_OF_LARGEST = Math.max(...operationTable.map(({ bodyLimitBytes }) => bodyLimitBytes));

function attacksOn(size: Trial['size'], callers: Record<string, Secrets>): Attack[] {
  const withBody = operationTable.filter(({ hasBody }) => hasBody);
  const largest = withBody.filter(({ bodyLimitBytes }) => bodyLimitBytes === LIMIT_OF_LARGEST);
  // Only the sync API decompresses bodies.
  const chosen = pick(size, [operationOf('sync.checkAvailability'), ...largest.slice(0, 1)], withBody);
  const attacks = Object.entries(callers).flatMap(([caller, key]) => [
    ...chosen.flatMap((operation) => attacksOnOperation(size, operation, `${operation.id}, ${caller} caller`, key)),
    ...attacksWithoutBody(caller, key),
  ]);
  return attacks.filter((_, i) => i % pick(size, 4, 1) === 0);
}

const SHORT_FIELDS = ['variants', 'metadata'];
const REFUSED = [401, 403, 413, 415, 422];
const TOO_LARGE = [0, 401, 403, 413];
/**
 * The statuses of a read, which ignores its body and responds before the body has arrived, unless the Content-Length
 * exceeds the limit of every operation.
 */
const PASSED_OVER = [0, 200, 401];
/** The statuses of a client that keeps sending after the response: the server may close its connection. */
const REFUSED_OR_CUT = [0, ...REFUSED];

function attacksOnOperation(size: Trial['size'], operation: Operation, target: string, key: Secrets): Attack[] {
  const limit = operation.bodyLimitBytes;
  // Only the full form tries all fields; the others try a list and an object.
  const fields = bodyFieldsOf(operation).filter((name) => size === 'full' || SHORT_FIELDS.includes(name));
  const json = (body: string | Buffer, extra = {}) => requestTo(operation, key, body, extra);
  const shapes = { ...wideBodies(limit), ...bodiesInFields(fields, limit) };
  const bomb = gzipSync(Buffer.alloc(HUGE_BYTES, ' '));
  return [
    // First, because the short form takes the first attack and every fourth after it.
    {
      name: `gzip bomb to ${target}`,
      send: (port) => statusOf(port, json(bomb, { 'Content-Encoding': 'gzip' })),
      refusedWith: [401, 403, 413, 415],
    },
    ...Object.entries(shapes).map(([name, body]) => ({
      name: `${name} to ${target}`,
      send: (port: number) => statusOf(port, json(body())),
      refusedWith: REFUSED_OR_CUT,
    })),
    { name: `100 MB to ${target}`, send: (port) => stream(port, operation, key, false), refusedWith: TOO_LARGE },
    {
      name: `100 MB in chunks to ${target}`,
      send: (port) => stream(port, operation, key, true),
      refusedWith: TOO_LARGE,
    },
  ];
}

function attacksWithoutBody(caller: string, key: Secrets): Attack[] {
  const bodiless = operationTable.find(({ method, hasBody }) => method === 'delete' && !hasBody) as Operation;
  const read = operationOf('dashboard.listProducts');
  return [
    { operation: bodiless, chunked: false, refusedWith: TOO_LARGE },
    { operation: bodiless, chunked: true, refusedWith: TOO_LARGE },
    { operation: read, chunked: false, refusedWith: TOO_LARGE },
    { operation: read, chunked: true, refusedWith: PASSED_OVER },
  ].map(({ operation, chunked, refusedWith }) => ({
    name: `100 MB ${chunked ? 'in chunks ' : ''}to ${operation.id}, ${caller} caller`,
    send: (port) => stream(port, operation, key, chunked),
    refusedWith,
  }));
}

type Secrets = Record<'site_id' | 'api_key' | 'storefront_token' | 'sync_secret', string>;

/** Returns credentials for the operation's API. A call without credentials is rejected before its body is read. */
function credentialsFor(
  { surface }: Operation,
  { site_id, api_key, storefront_token, sync_secret }: Secrets,
): Record<string, string> {
  switch (surface) {
    case 'storefront':
      return { 'X-Site-ID': site_id, 'X-Service-Token': storefront_token };
    case 'sync':
      return { 'X-Site-ID': site_id, 'X-Sync-Secret': sync_secret };
    default:
      return { 'X-API-Key': api_key };
  }
}

function headersFor(operation: Operation, key: Secrets): Record<string, string> {
  const { method } = operation;
  return {
    ...credentialsFor(operation, key),
    'Content-Type': 'application/json',
    ...(method !== 'get' && { 'Idempotency-Key': crypto.randomUUID() }),
  };
}

function requestTo(operation: Operation, key: Secrets, body: string | Buffer, extra: Record<string, string>): Buffer {
  const bytes = Buffer.from(body);
  const headers = { ...headersFor(operation, key), ...extra, 'Content-Length': String(bytes.length) };
  return Buffer.concat([Buffer.from(rawRequest(operation.method.toUpperCase(), pathOf(operation), headers)), bytes]);
}

function pathOf({ path }: Operation): string {
  return path.replaceAll(/\{\w+\}/g, '00000000-0000-7000-8000-000000000000');
}

/** The status of a client that in time gets neither a response nor a closed connection. */
const NO_ANSWER = -1;

async function statusOf(port: number, request: Buffer): Promise<number> {
  const client = new RawClient(port);
  try {
    return (await client.send(request))?.status ?? 0;
  } catch {
    return NO_ANSWER;
  } finally {
    client.close();
  }
}

/** Sends 100 MB in chunks, as fast as the server reads them, until it responds or closes the connection. */
function stream(port: number, operation: Operation, key: Secrets, chunked: boolean): Promise<number> {
  const length: Record<string, string> = chunked
    ? { 'Transfer-Encoding': 'chunked' }
    : { 'Content-Length': String(HUGE_BYTES) };
  const head = rawRequest(operation.method.toUpperCase(), pathOf(operation), {
    ...headersFor(operation, key),
    ...length,
  });
  const block = Buffer.alloc(64 * 1024, ' ');
  const piece = chunked
    ? Buffer.concat([Buffer.from(`${block.length.toString(16)}\r\n`), block, Buffer.from('\r\n')])
    : block;
  return new Promise((resolve) => {
    let received = '';
    let sent = 0;
    const socket = connect({ port, host: '127.0.0.1' });
    const pump = () => {
      while (sent < HUGE_BYTES && !socket.destroyed) {
        sent += block.length;
        if (!socket.write(piece)) return;
      }
      if (chunked && !socket.destroyed) socket.end('0\r\n\r\n');
    };
    socket.setTimeout(15_000, () => socket.destroy());
    socket.on('connect', () => {
      socket.write(head);
      pump();
    });
    socket.on('drain', pump);
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1');
      // The client closes the connection 200 ms after the response, even if the server does not read the rest.
      if (received.includes('\r\n\r\n')) setTimeout(() => socket.destroy(), 200);
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(received)?.[1] ?? 0)));
  });
}

/**
 * Sends requests of each kind and of full size before the measurement, so that modules and buffers loaded on first use
 * do not count as growth.
 */
async function warmUp(port: number, key: Secrets, rounds: number): Promise<void> {
  const bodies = [JSON.stringify({}), JSON.stringify({ unknown: Array(5_000).fill(0) })];
  for (const operation of operationTable.filter(({ hasBody }) => hasBody)) {
    for (const body of bodies) await statusOf(port, requestTo(operation, key, body, {}));
  }
  const operation = operationOf('dashboard.importProducts');
  const product = { name: 'Mug', description: 'a'.repeat(9_000), price: '1.00' };
  for (let round = 0; round < rounds; round += 1) {
    const products = Array.from({ length: 100 }, (_, i) => ({ ...product, slug: `p-${i}` }));
    await statusOf(port, requestTo(operation, key, JSON.stringify({ products, dry_run: true }), {}));
  }
}

function megabytes(bytes: number): string {
  return `${(bytes / MEGABYTE).toFixed(0)} MB`;
}

async function rssOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
}
