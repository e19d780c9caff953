import { checkUrl, type EgressPolicy } from './addresses.ts';
import type { Client } from './client.ts';

export interface GetLimits {
  mostBytes: number;
  /** Time limit in milliseconds from the DNS look-up to the last byte. */
  milliseconds: number;
}

export interface Document {
  /** The parsed body; undefined if it is not JSON. */
  json: unknown;
  /** max-age of Cache-Control in seconds; null if there is none. */
  max_age_seconds: number | null;
}

/**
 * Fetches a document without following redirects. Returns undefined if the status is not 200, the body exceeds the size
 * limit, or the request fails or times out.
 */
export async function get(
  { agent, request }: Client,
  policy: EgressPolicy,
  url: string,
  { mostBytes, milliseconds }: GetLimits,
): Promise<Document | undefined> {
  try {
    const { statusCode, headers, body } = await request(checkUrl(url, policy), {
      headers: { accept: 'application/json', 'user-agent': 'commerce-backend/1' },
      dispatcher: agent,
      signal: AbortSignal.timeout(milliseconds),
    });
    // Aborting the body emits an error, which would be unhandled.
    body.on('error', () => undefined);
    const bytes = statusCode === 200 ? await allOf(body, mostBytes) : undefined;
    if (!bytes) {
      body.destroy();
      return undefined;
    }
    return { json: jsonIn(bytes), max_age_seconds: maxAgeOf(String(headers['cache-control'] ?? '')) };
  } catch {
    return undefined;
  }
}

function jsonIn(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

async function allOf(body: AsyncIterable<Buffer>, mostBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > mostBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function maxAgeOf(header: string): number | null {
  if (/\bno-(?:store|cache)\b/i.test(header)) return 0;
  const seconds = /\bmax-age=(\d{1,9})\b/i.exec(header)?.[1];
  return seconds === undefined ? null : Number(seconds);
}
