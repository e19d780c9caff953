import { afterAll, expect, test } from 'vitest';
import { renewServer } from '../../server/test/server.ts';
import { superuserUrl } from '../../server/test/worker-database.ts';
import type { Proof } from './proof.ts';
import { closeWorld } from './three-tenants.ts';

/** Registers the short form of proofs as tests: `shortForm(A1, A3)` at the top of a test file. */
export function shortForm(...proofs: Proof[]): void {
  afterAll(async () => {
    await closeWorld();
    // Renews the database, so that the next file checks the invariants of fewer shops.
    await renewServer();
  });
  for (const proof of proofs) {
    // A proof is never retried, because a promise that is broken once is broken.
    test(`${proof.id}: ${proof.promise}`, { timeout: 600_000, retry: 0 }, async ({ skip }) => {
      const seed = Number(process.env.PROOF_SEED ?? 1);
      const databaseUrl = superuserUrl();
      const { violations, tried, skipped } = await proof.run({ size: 'short', seed, databaseUrl, progress: () => {} });
      expect(violations, `seed ${seed}`).toEqual([]);
      if (skipped) skip(skipped);
      expect(tried).toBeGreaterThan(0);
    });
  }
}
