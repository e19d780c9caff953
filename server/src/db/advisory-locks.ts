/**
 * The numbers of all long-lived advisory locks, which a connection or a migration holds. Each has one meaning, which is
 * the same in every release. The locks of requests (shop/products, http/pipeline/idempotency.ts) use hashes of 64 bits
 * instead.
 */
export const ADVISORY_LOCKS = {
  /** Held by the transaction of the process that migrates (migration-lock.ts). */
  migration: 7_301_964,
  /** In the database `postgres` of an embedded cluster, held by the server that uses it (embedded.ts). */
  embeddedOwner: 7_301_965,
  /** The first of two numbers, held by a process for each of its job runners (jobs/abandoned-jobs.ts). */
  jobRunner: 7_301_966,
  /** Held by the transaction of the process that adds missing rights (mend-access.ts). */
  access: 7_301_967,
  /** The first of two numbers, held by the connection that imports a site (shop/sites/import.ts). */
  siteImport: 7_301_968,
};
