import type { ErrorCode } from '@commerce-backend/spec';

/** The part of the contract that the mocks need: request schemas, example responses and error messages. */
export interface MockContract {
  operations: MockOperation[];
  /** Schemas that requests reference, by name. */
  schemas: Record<string, JsonSchema>;
  errors: Record<ErrorCode, CatalogueEntry>;
}

export type JsonSchema = Record<string, unknown>;

export interface MockOperation {
  id: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path with parameters in braces. */
  path: string;
  /** Status of a successful response. */
  status: number;
  /** Example of a successful response; undefined if it has no body. */
  answer?: unknown;
  /** Alternative sets of security schemes; empty if no credential is required. */
  security: string[][];
  scope?: string;
  humanOnly?: boolean;
  /** Whether the Idempotency-Key may be omitted. */
  keyWaived?: boolean;
  parameters: MockParameter[];
  body?: { required: boolean; schema: JsonSchema };
}

export interface MockParameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  schema: JsonSchema;
}

export interface CatalogueEntry {
  status: number;
  retryable: boolean;
  /** Advice to agents on how to continue. */
  next?: string;
  next_operation?: string;
}
