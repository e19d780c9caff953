import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { operationTable } from './http/contract/contract.ts';
import { withTable } from './rate-limits-table.ts';
import { RATE_LIMITS } from './shop/rate-limits.ts';

test('docs/limits.md documents every rate limit with its real values', () => {
  const page = readFileSync(new URL('../../docs/limits.md', import.meta.url), 'utf8');

  expect(withTable(page), 'run: node server/src/rate-limits-table.ts').toBe(page);
  for (const name of Object.keys(RATE_LIMITS)) expect(page).toContain(`\`${name}\``);
});

test('the table of rate limits contains every rate limit that the contract names', () => {
  for (const { rateLimit, id } of operationTable) expect(Object.keys(RATE_LIMITS), id).toContain(rateLimit);
});

test.each(['agent_find', 'agent_buy'] as const)(
  'the description of the rate limit %s names exactly the operations that the contract counts under this limit',
  (limit) => {
    const counted = operationTable
      .filter(({ rateLimit }) => rateLimit === limit)
      .map(({ path }) => path.split('/').at(-1));

    expect(RATE_LIMITS[limit].counts).toBe(counted.join(' and '));
  },
);
