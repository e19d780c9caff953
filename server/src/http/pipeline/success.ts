import { ShownJson } from '../../shop/products/shown.ts';
import { isUuid } from '../callers/claims.ts';
import type { Operation } from '../contract/contract.ts';
import type { Answer } from './errors.ts';

export function success(operation: Operation, body: unknown): Answer {
  if (body instanceof ShownJson) return { status: operation.status, body: undefined, shown: body };
  const empty = isEmpty(body);
  const made = operation.status === 201 ? idOf(body) : undefined;
  return {
    status: operation.status,
    body: body === undefined ? undefined : JSON.stringify(body),
    told: body,
    empty,
    made,
  };
}

/** The response to a call that waits for a person instead of running. */
export function held(body: unknown): Answer {
  return { status: 202, body: JSON.stringify(body), told: body };
}

function idOf(body: unknown): string | undefined {
  return typeof body === 'object' && body !== null && 'id' in body && isUuid(body.id) ? body.id : undefined;
}

/** Whether the body is an empty page, or consists only of empty lists. */
function isEmpty(body: unknown): boolean {
  if (typeof body !== 'object' || body === null) return false;
  if ('total' in body) return body.total === 0;
  const values = Object.values(body);
  return values.length > 0 && values.every((value) => Array.isArray(value) && value.length === 0);
}
