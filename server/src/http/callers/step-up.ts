import { ShopError } from '../../shop/errors.ts';
import type { Operation } from '../contract/contract.ts';
import type { Caller } from './caller.ts';

/** Whether this call requires the caller to have confirmed the password or a second factor. */
export function needsStepUp({ stepUp }: Operation, body: unknown): boolean {
  if (typeof stepUp === 'boolean') return stepUp;
  return typeof body === 'object' && body !== null && stepUp.some((field) => Object.hasOwn(body, field));
}

/**
 * Throws `step_up_required` if the staff member has not confirmed the password or a second factor within the last 15
 * minutes. API keys cannot do that; they need the scope payments:write instead.
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
