import { ShopError } from '../../shop/errors.ts';
import type { Operation } from '../contract/contract.ts';
import type { Caller } from './caller.ts';

/** Whether the caller must confirm their identity for this call. */
export function needsStepUp({ stepUp }: Operation, body: unknown): boolean {
  if (typeof stepUp === 'boolean') return stepUp;
  return typeof body === 'object' && body !== null && stepUp.some((field) => Object.hasOwn(body, field));
}

/**
 * Throws `step_up_required` if staff have not confirmed their identity within 15 minutes. A program cannot confirm it;
 * it needs the scope payments:write instead.
 */
export function requireStepUp(operation: Operation, { kind, confirmed, scopes }: Caller, body: unknown): void {
  if (!needsStepUp(operation, body)) return;
  if (kind === 'staff' && confirmed) return;
  if (kind === 'api_key' && scopes.includes('payments:write')) return;
  const message =
    kind === 'staff'
      ? 'Confirm the password or a code of the second factor: POST /api/dashboard/auth/confirm.'
      : 'This requires a logged-in staff member, or an API key with payments:write.';
  throw new ShopError('step_up_required', message);
}
