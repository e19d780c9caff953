import type { ErrorCode } from '@commerce-backend/spec';

/** The parts of the contract that the mocks need: request schemas, example responses and error messages. */
export interface MockContract {
  operations: MockOperation[];
  /** The schemas that requests refer to, by name. */
  schemas: Record<string, JsonSchema>;
  errors: Record<ErrorCode, CatalogueEntry>;
}

export type JsonSchema = Record<string, unknown>;

export interface MockOperation {
  id: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path, with its parameters in braces. */
  path: string;
  /** The status of a successful response. */
  status: number;
  /** The contract's example of a successful response; undefined if it has no body. */
  answer?: unknown;
  /** The alternative credentials; empty for public operations. */
  security: string[][];
  scope?: string;
  humanOnly?: boolean;
  /** Whether the Idempotency-Key is optional. */
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
  /** What the error suggests that an agent does next. */
  next?: string;
  next_operation?: string;
}
