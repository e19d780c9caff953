import { ShopError } from '../../shop/errors.ts';
import type { Operation } from '../contract/contract.ts';
import type { Caller } from './caller.ts';

/** Whether a call would help a thief so much that whoever makes it has to show again who they are. */
export function needsStepUp({ stepUp }: Operation, body: unknown): boolean {
  if (typeof stepUp === 'boolean') return stepUp;
  return typeof body === 'object' && body !== null && stepUp.some((field) => Object.hasOwn(body, field));
}

/** Throws `step_up_required` where that was not done within 15 minutes. A program cannot; its key says so if it need not. */
export function requireStepUp(operation: Operation, { kind, confirmed, scopes }: Caller, body: unknown): void {
  if (!needsStepUp(operation, body)) return;
  if (kind === 'staff' && confirmed) return;
  if (kind === 'api_key' && scopes.includes('payments:write')) return;
  const message =
    kind === 'staff'
      ? 'Give the password or a code of the second factor again: POST /api/dashboard/auth/confirm.'
      : 'This needs a staff member who is logged in, or an API key with payments:write.';
  throw new ShopError('step_up_required', message);
}
