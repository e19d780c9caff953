import { afterAll, expect } from 'vitest';
import { brokenInvariants } from './invariants.ts';
import { keepObserved, observeRows } from './observed-rows.ts';
import { ownerPool } from './server.ts';

observeRows();

/** After every test file, whatever it proved: the invariants hold in the whole database. */
afterAll(async () => {
  keepObserved();
  const pool = ownerPool();
  if (pool) expect(await brokenInvariants(pool)).toEqual([]);
});
