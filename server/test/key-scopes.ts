import type { ApiKeyScope } from '@commerce-backend/spec';

/** Tests and proofs call operations with an API key that need more than `write`. */
export const KEY_SCOPES: ApiKeyScope[] = [
  ...(['read', 'write', 'payments:write', 'keys:write'] as const),
  ...(['orders:export', 'customers:export'] as const),
];
