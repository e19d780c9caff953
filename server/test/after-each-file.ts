import { afterAll, expect } from 'vitest';
import { brokenInvariants } from './invariants.ts';
import { closeServer, ownerPool } from './server.ts';

/** After every test file, whatever it proved: the invariants hold in the whole database. */
afterAll(async () => {
  const pool = ownerPool();
  if (pool) expect(await brokenInvariants(pool)).toEqual([]);
  await closeServer();
});
