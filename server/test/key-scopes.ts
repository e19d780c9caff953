import type { ApiKeyScope } from '@commerce-backend/spec';

/** The scopes of the API key of tests and proofs. Some operations need more than `write`. */
export const KEY_SCOPES: ApiKeyScope[] = [
  ...(['read', 'write', 'payments:write', 'keys:write'] as const),
  ...(['orders:payments', 'orders:export', 'customers:export'] as const),
];
