import { readFileSync } from 'node:fs';
import contract from '@commerce-backend/spec/openapi.json' with { type: 'json' };
import { expect, test } from 'vitest';

const { schemas } = contract.components;
const GUIDE = readFileSync(new URL('../../docs/limit-agents.md', import.meta.url), 'utf8');

/** The names in the first column of the tables below a heading. */
function rowsBelow(heading: string): string[] {
  const section = GUIDE.split(/^## /m).find((one) => one.startsWith(`${heading}\n`)) ?? '';
  return [...section.matchAll(/^\| `([\w:]+)` \|/gm)].map(([, name = '']) => name);
}

test('the guide to limits for agents describes every field of the policy and no other', () => {
  expect(rowsBelow('Limits that the shop sets').sort()).toEqual(
    Object.keys(schemas.AgentPolicyInput.properties).sort(),
  );
});

test('the guide to limits for agents describes every limit of a consent and every scope', () => {
  const { current_password: _, ...limits } = schemas.AgentConsentApproval.properties;
  const described = rowsBelow('Limits that the customer sets').sort();
  expect(described).toEqual([...Object.keys(limits), ...schemas.AgentScope.enum].sort());
});
