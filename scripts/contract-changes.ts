import { merge } from 'allof-merge';
import { apiCompare, type Diff } from 'api-smart-diff';

/** A change to a bundled contract that can break existing clients. */
export interface Breaking {
  /** The changed part of the contract, such as `POST /api/sync/webhook/register requestBody events enum`. */
  where: string;
  what: string;
}

type Description = Record<string, unknown> & { paths: Record<string, unknown>; webhooks?: Record<string, unknown> };

/**
 * Changes that break existing clients: removed operations and fields, other response types, and requests that are no
 * longer accepted. api-smart-diff finds them. This file adds rules: removing even an optional field of a response or
 * event breaks clients, as does another type, but enums and limits of responses may grow, because clients treat
 * response enums as open. Webhook events count as responses.
 */
export function breakingChanges(before: object, after: object): Breaking[] {
  const { diffs } = apiCompare(judged(before as Description), judged(after as Description));
  return diffs.filter(breaks).map(told);
}

/**
 * Normalizes a contract for comparison: merges `allOf`, whose parts may be rearranged, and turns events into responses.
 */
function judged(description: Description): Description {
  const plain = withoutTextsOfChoices(description);
  const whole = merge(plain, { source: plain, mergeRefSibling: true }) as Description;
  const events = Object.entries(whole.webhooks ?? {}).map(([event, item]) => [`event ${event}`, asAnswer(item)]);
  return { ...whole, paths: { ...whole.paths, ...Object.fromEntries(events) }, webhooks: {} };
}

/** Removes descriptions next to `oneOf`: a new one would make api-smart-diff pair the choices wrongly. */
function withoutTextsOfChoices(description: Description): Description {
  return JSON.parse(JSON.stringify(description), (_, value) => {
    if (value === null || typeof value !== 'object' || !Array.isArray(value.oneOf)) return value;
    const { description: text, ...choices } = value;
    return typeof text === 'string' ? choices : value;
  });
}

function asAnswer(item: unknown): object {
  const { post } = item as { post: { requestBody: { content: object } } };
  return { post: { responses: { '200': { description: 'An event.', content: post.requestBody.content } } } };
}

function breaks({ type, action, path }: Diff): boolean {
  if (path[0] !== 'paths') return false;
  const inAnswer = path[3] === 'responses';
  const [above, last] = path.slice(-2);
  if (inAnswer && ((action === 'remove' && above === 'properties') || (action === 'replace' && last === 'type')))
    return true;
  if (inAnswer && action === 'add' && above === 'enum') return false;
  if (inAnswer && (last === 'maxItems' || last === 'maxLength' || last === 'pattern' || last === 'format'))
    return false;
  return type === 'breaking';
}

function told({ action, path, before, after }: Diff): Breaking {
  const [, address, verb, ...rest] = path;
  const steps = rest.filter((step) => !WITHIN.has(String(step)) && !/^\d+$/.test(String(step)));
  const shown = (value: unknown) => (JSON.stringify(value) ?? '').slice(0, 100);
  const what = { add: `adds ${shown(after)}`, remove: `removes ${shown(before)}` }[action as string];
  const method = String(address).startsWith('event ') || verb === undefined ? [] : [String(verb).toUpperCase()];
  return {
    where: [...method, address, ...steps].join(' '),
    what: what ?? `${shown(before)} becomes ${shown(after)}`,
  };
}

/** Path segments that do not help readers. */
const WITHIN = new Set(['content', 'application/json', 'schema', 'properties', 'items']);
