import { afterAll, expect } from 'vitest';
import { newlyBrokenInvariants } from './invariants.ts';
import { keepObserved, observeRows } from './observed-rows.ts';
import { ownerPoolIfAsked } from './server.ts';

observeRows();

/** After every test file that used the server, whatever it proved: the invariants hold. */
afterAll(async () => {
  keepObserved();
  const pool = ownerPoolIfAsked();
  if (pool) expect(await newlyBrokenInvariants(pool)).toEqual([]);
});
