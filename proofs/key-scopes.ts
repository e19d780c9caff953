import type { NewSite } from '../server/src/shop/merchant/sites.ts';

/** Of the API keys of proofs, which do with them whatever a shop has: `write` leaves these out. */
export const ALL_KEY_SCOPES: NonNullable<NewSite['key_scopes']> = [
  'read',
  'write',
  'payments:write',
  'keys:write',
  'orders:export',
  'customers:export',
];
