import { randomUUID } from 'node:crypto';

const ATTEMPT_TIMEOUT_MS = 5_000;
const SHORTEST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 250;

export interface RetriedAnswer {
  status: number;
  body: string;
  attempts: number;
}

export interface RetriedCall {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  headers: Record<string, string>;
  body?: unknown;
}

/**
 * Sends a request until a server gives a definite response. Not definite are a broken connection, a timeout, 429, 502
 * to 504, and a 409 while the first attempt is still running. A mutation keeps its Idempotency-Key through all
 * attempts. Throws if there is no definite response in time.
 */
export async function sendUntilAnswered(
  servers: () => string[],
  { method, path, headers, body }: RetriedCall,
  withinMs: number,
): Promise<RetriedAnswer> {
  const init = {
    method,
    headers: {
      ...headers,
      ...(method !== 'GET' && { 'Idempotency-Key': randomUUID() }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  };
  const deadline = Date.now() + withinMs;
  let last = 'no server';
  for (let attempts = 1; Date.now() < deadline; attempts += 1) {
    const known = servers();
    const server = known[attempts % known.length];
    const answer = server === undefined ? undefined : await attempt(server + path, init);
    if (answer && !isTemporary(answer)) return { ...answer, attempts };
    if (answer) last = `${answer.status} ${answer.body}`;
    await new Promise((done) => setTimeout(done, Math.min(LONGEST_PAUSE_MS, SHORTEST_PAUSE_MS * 2 ** attempts)));
  }
  throw new Error(`${method} ${path}: no definite answer in ${withinMs / 1000} s; last: ${last}`);
}

async function attempt(url: string, init: RequestInit): Promise<{ status: number; body: string } | undefined> {
  try {
    const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(ATTEMPT_TIMEOUT_MS) });
    return { status: answer.status, body: await answer.text() };
  } catch {
    return undefined;
  }
}

function isTemporary({ status, body }: { status: number; body: string }): boolean {
  return [429, 502, 503, 504].includes(status) || (status === 409 && body.includes('idempotency_in_flight'));
}
