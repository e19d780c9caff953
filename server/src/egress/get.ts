import { checkUrl, type EgressPolicy } from './addresses.ts';
import { type Client, type Outcome, outcomeOf } from './post.ts';

/** A short text at an address that somebody names, such as the profile of an agent. */

export interface FetchLimits {
  maxBytes: number;
  totalMs: number;
}

export interface Fetched {
  /** `refused` for any answer but 200, redirects included, and for one that is too long. */
  outcome: Outcome;
  body: string;
  /** For how many seconds it may be kept, as the answer says. */
  max_age_seconds: number | null;
}

export async function fetchText(
  { agent, request }: Client,
  policy: EgressPolicy,
  url: string,
  { maxBytes, totalMs }: FetchLimits,
): Promise<Fetched> {
  const overall = new AbortController();
  const timer = setTimeout(() => overall.abort(new Error('timed out')), totalMs);
  try {
    const { statusCode, headers, body } = await request(checkUrl(url, policy), {
      method: 'GET',
      headers: { accept: 'application/json', 'user-agent': 'commerce-backend/1' },
      dispatcher: agent,
      signal: overall.signal,
    });
    const text = statusCode === 200 ? await wholeOf(body, maxBytes) : undefined;
    if (text === undefined) body.destroy();
    const kept = /(?:^|[\s,])max-age=(\d{1,9})/i.exec(String(headers['cache-control'] ?? ''))?.[1];
    const max_age_seconds = kept === undefined ? null : Number(kept);
    return { outcome: text === undefined ? 'refused' : 'succeeded', body: text ?? '', max_age_seconds };
  } catch (error) {
    const outcome = overall.signal.aborted ? 'timed_out' : outcomeOf(error);
    return { outcome, body: '', max_age_seconds: null };
  } finally {
    clearTimeout(timer);
  }
}

/** Undefined for more than that many bytes, and for what is not UTF-8. */
async function wholeOf(body: AsyncIterable<Buffer>, maxBytes: number): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let read = 0;
  for await (const chunk of body) {
    read += chunk.length;
    if (read > maxBytes) return undefined;
    chunks.push(chunk);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    return undefined;
  }
}
