import type { ApiKeyScope } from '@commerce-backend/spec';

/** The scopes of the API key with which tests and proofs call operations, some of which need more than `write`. */
export const KEY_SCOPES: ApiKeyScope[] = [
  ...(['read', 'write', 'payments:write', 'keys:write'] as const),
  ...(['orders:export', 'customers:export'] as const),
];
