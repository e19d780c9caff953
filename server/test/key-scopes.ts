import type { ApiKeyScope } from '@commerce-backend/spec';

/** What tests and proofs do with an API key needs more than `write`. */
export const KEY_SCOPES: ApiKeyScope[] = [
  ...(['read', 'write', 'payments:write', 'keys:write'] as const),
  ...(['orders:export', 'customers:export'] as const),
];
