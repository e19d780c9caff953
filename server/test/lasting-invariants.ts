import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { ignoreLostConnections } from '../src/db/connect.ts';
import { type BrokenRule, brokenInvariants } from './invariants.ts';

/** Checks the invariants of all databases after all tests. Must be listed after database.ts in the global set-up. */
export function setup(project: TestProject): () => Promise<void> {
  return async () => {
    const broken = await Promise.all(project.getProvidedContext().superuserUrls.map(brokenIn));
    if (broken.flat().length === 0) return;
    // Sets the exit code instead of throwing, because an exception would prevent PostgreSQL from being stopped.
    process.exitCode = 1;
    process.stderr.write(`The tests left data that breaks invariants: ${JSON.stringify(broken)}\n`);
  };
}

async function brokenIn(url: string): Promise<BrokenRule[]> {
  const pool = ignoreLostConnections(new pg.Pool({ connectionString: url, max: 1 }));
  return brokenInvariants(pool).finally(() => pool.end());
}
