/**
 * Search results in the response of a tool. Each token costs money, so null fields are omitted, and less useful fields
 * are omitted until the response fits. The remaining fields have the form of the API's response, because programs read
 * them too.
 */

import type { AgentCandidate, AgentUnderstood } from '@commerce-backend/spec';
import type { OperationId } from '../http/contract/contract.ts';
import { present } from './product-answer.ts';

type Fields = Record<string, unknown>;

/** The part of a response that is about results. */
export interface Found extends Fields {
  products?: AgentCandidate[];
  candidates?: AgentCandidate[];
  understood?: AgentUnderstood[];
  needs?: object[];
  excluded?: object[];
}

export const SEARCHES: OperationId[] = [
  'agent.searchCatalog',
  'agent.findProducts',
  'agent.findAndAdd',
  'agent.findAndBuy',
];

/** 800 tokens of three characters for five results, minus 200 characters for the other fields. */
const MOST_CHARACTERS = 2_200;
const FURTHER_RESULT = 440;

/**
 * One step of shortening: the fields that stay. Results that exceed the limit even after the last step are not
 * shortened further.
 */
interface Step {
  summary?: boolean;
  /** The vendor and the product type. */
  labels?: boolean;
  /** The maximum number of values per option; without it, the options are left out. */
  values?: number;
  reasons: number;
}
const STEPS: Step[] = [
  { summary: true, labels: true, values: 5, reasons: 10 },
  { labels: true, values: 5, reasons: 10 },
  { labels: true, values: 2, reasons: 3 },
  { values: 2, reasons: 3 },
  { reasons: 3 },
  { reasons: 1 },
  { reasons: 0 },
];

/**
 * Returns the response with shorter results. Omits null fields, a single need, and an empty list of exclusions, which
 * most responses have.
 */
export function compactCandidates({ needs = [], excluded = [], understood, ...body }: Found): Fields {
  const list = body.products ? 'products' : 'candidates';
  const candidates = body[list] ?? [];
  const readings = understood?.map((reading) => readingIn(reading, body.currency)) ?? [];
  const most = MOST_CHARACTERS + FURTHER_RESULT * Math.max(0, candidates.length - 5);
  let results: Fields[] = [];
  for (const step of STEPS) {
    results = candidates.map((candidate) => shortened(candidate, step));
    if (JSON.stringify([results, readings]).length <= most) break;
  }
  return present({
    ...body,
    ...(understood && { understood: readings }),
    [list]: results,
    needs: needs.length > 1 ? needs : null,
    excluded: excluded.length > 0 ? excluded : null,
  });
}

/** Omits a value that equals the text, and a currency that equals that of the response. */
function readingIn({ value, currency, ...reading }: AgentUnderstood, usual: unknown): Fields {
  return {
    ...reading,
    ...(value !== undefined && value !== reading.text && { value }),
    ...(currency !== undefined && currency !== usual && { currency }),
  };
}

function shortened({ content, match_reasons, ...candidate }: AgentCandidate, step: Step): Fields {
  const { summary, vendor, product_type, options, ...names } = content;
  return present({
    ...candidate,
    match_reasons: match_reasons.slice(0, step.reasons),
    content: present({
      ...names,
      summary: step.summary ? summary : null,
      vendor: step.labels ? vendor : null,
      product_type: step.labels ? product_type : null,
      options: options.length > 0 && step.values ? options.map((option) => optionOf(option, step.values)) : null,
    }),
  });
}

function optionOf(
  { name, values, more }: AgentCandidate['content']['options'][number],
  most: number | undefined,
): Fields {
  const listed = values.slice(0, most);
  const others = more + values.length - listed.length;
  return { name, values: listed, ...(others > 0 && { more: others }) };
}
