/**
 * Numbers of the advisory locks that a connection or a migration holds for a long time. The numbers must not change
 * between releases. Requests use other locks, whose numbers are 64-bit hashes (shop/products,
 * http/pipeline/idempotency.ts).
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
