import { afterAll, expect } from 'vitest';
import { brokenInvariants, newlyBrokenInvariants } from './invariants.ts';
import { keepObserved, observeRows } from './observed-rows.ts';
import { keepStatements, watchStatements } from './sent-statements.ts';
import { isLarge, ownerPoolIfAsked, renewServer } from './server.ts';

observeRows();
watchStatements();

/** Checks the invariants after every test file that used the server. */
afterAll(async () => {
  keepObserved();
  keepStatements();
  const pool = ownerPoolIfAsked();
  if (!pool) return;
  const large = await isLarge(pool);
  expect(await (large ? brokenInvariants(pool) : newlyBrokenInvariants(pool))).toEqual([]);
  if (large) await renewServer();
});
