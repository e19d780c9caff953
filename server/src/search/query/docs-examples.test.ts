import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseQuery } from './parse.ts';
import type { Constraint } from './parsed-query.ts';

const DOCS = readFileSync(new URL('../../../../docs/search.md', import.meta.url), 'utf8');
const sentences = DOCS.slice(DOCS.indexOf('## Sentences'));
/** The examples in docs/search.md: table rows with a sentence and its interpretation. */
const examples = [...sentences.matchAll(/^\| `([^`]+)` \| (\w+(?::| `).*) \|$/gm)].map(
  ([, sentence = '', understood = '']) => ({
    sentence,
    understood,
  }),
);

function described({ kind, text, value, min, max, currency, isUnread }: Constraint): string {
  if (isUnread) return `${kind} \`${text}\`: not_understood`;
  const unit = currency ?? (kind === 'value' ? value : undefined);
  const range = min === undefined ? `at most ${max}` : max === undefined ? `at least ${min}` : `${min} to ${max}`;
  const isLimit = min !== undefined || max !== undefined;
  return `${kind}: ${isLimit ? [range, unit].filter(Boolean).join(' ') : value}`;
}

test('docs/search.md contains more than 25 examples', () => expect(examples.length).toBeGreaterThan(25));

test.each(examples)('interprets the example in docs/search.md as documented: $sentence', ({ sentence, understood }) => {
  const { constraints } = parseQuery(sentence, undefined, { isSentence: true, language: 'en' });
  expect(constraints.map(described).join('; ')).toBe(understood);
});
