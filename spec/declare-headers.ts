/**
 * Adds the headers that follow from a rule to a bundled description, so that no response has to repeat them:
 * `node declare-headers.ts generated/openapi.json`. They are described in components/headers/.
 *
 * - every response has X-Request-Id
 * - responses of operations with x-rate-limit have RateLimit and RateLimit-Policy
 * - responses that are stored for an Idempotency-Key have Idempotency-Replayed
 */

import { readFileSync, writeFileSync } from 'node:fs';

interface Response {
  $ref?: string;
  headers?: Record<string, object>;
}

interface Operation {
  'x-rate-limit'?: string;
  parameters?: { $ref?: string }[];
  responses?: Record<string, Response>;
}

interface Description {
  paths: Record<string, Record<string, Operation>>;
  components: { responses: Record<string, Response> };
}

/** Validation errors, limits, invalid credentials and failures of the server are not stored (see Mutations in openapi.yaml). */
const STORED = new Set(['200', '201', '202', '204', '400', '402', '403', '404', '409', '410', '412']);
const IDEMPOTENCY_KEY = /^#\/components\/parameters\/(?:Optional)?IdempotencyKey$/;
const RESPONSES = '#/components/responses/';

function headersOf(operation: Operation, status: string): Record<string, string> {
  const isKeyed = operation.parameters?.some(({ $ref = '' }) => IDEMPOTENCY_KEY.test($ref)) ?? false;
  return {
    'X-Request-Id': 'RequestId',
    ...(operation['x-rate-limit'] && { RateLimit: 'RateLimit', 'RateLimit-Policy': 'RateLimitPolicy' }),
    ...(isKeyed && STORED.has(status) && { 'Idempotency-Replayed': 'IdempotencyReplayed' }),
  };
}

function declareHeaders({ paths, components }: Description): void {
  for (const operation of Object.values(paths).flatMap((item) => Object.values(item))) {
    for (const [status, response] of Object.entries(operation.responses ?? {})) {
      const shared = response.$ref && components.responses[response.$ref.slice(RESPONSES.length)];
      const declaring = shared || response;
      const names = Object.entries(headersOf(operation, status));
      const headers = names.map(([name, component]) => [name, { $ref: `#/components/headers/${component}` }]);
      declaring.headers = { ...declaring.headers, ...Object.fromEntries(headers) };
    }
  }
}

for (const file of process.argv.slice(2)) {
  const description = JSON.parse(readFileSync(file, 'utf8')) as Description;
  declareHeaders(description);
  writeFileSync(file, `${JSON.stringify(description, null, 2)}\n`);
}
