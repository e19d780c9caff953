import { afterAll, expect } from 'vitest';
import { newlyBrokenInvariants } from './invariants.ts';
import { keepObserved, observeRows } from './observed-rows.ts';
import { keepStatements, watchStatements } from './sent-statements.ts';
import { ownerPoolIfAsked } from './server.ts';

observeRows();
watchStatements();

/** Checks the invariants after every test file that used the server. */
afterAll(async () => {
  keepObserved();
  keepStatements();
  const pool = ownerPoolIfAsked();
  if (pool) expect(await newlyBrokenInvariants(pool)).toEqual([]);
});
