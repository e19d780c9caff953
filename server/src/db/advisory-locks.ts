/**
 * Numbers of the advisory locks that are held outside of requests. They must not change between releases. The locks of
 * requests have 64-bit hashes as numbers, for example in http/pipeline/idempotency.ts.
 */
export const ADVISORY_LOCKS = {
  /** Held in a transaction by the process that migrates (migration-lock.ts). */
  migration: 7_301_964,
  /** Held in the database `postgres` of an embedded cluster by the server that uses it (embedded.ts). */
  embeddedOwner: 7_301_965,
  /** First of two numbers. Held by a process for each of its job runners (jobs/abandoned-jobs.ts). */
  jobRunner: 7_301_966,
  /** Held in a transaction by the process that restores missing privileges (mend-access.ts). */
  access: 7_301_967,
  /** First of two numbers. Held by the connection that imports a site (shop/sites/import.ts). */
  siteImport: 7_301_968,
};
