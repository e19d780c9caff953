/** Encrypts the next action for storage, because anyone who reads it could continue the payment. */

import { hkdfSync } from 'node:crypto';
import type { NextAction } from '@commerce-backend/spec';
import { type Sealing, seal, unseal } from '../sealing.ts';
import type { NextAction as Action } from './provider.ts';

export function sealAction(secretKey: string, payment_id: string, action: Action): Buffer {
  return seal(sealingOf(secretKey, payment_id), JSON.stringify(action));
}

/** Decrypts a next action. Returns null after a change of SECRET_KEY; the caller then queries the provider. */
export function openAction(secretKey: string, payment_id: string, sealed: Buffer): NextAction | null {
  const action = opened(secretKey, payment_id, sealed);
  return action && { url: null, client_secret: null, ...action };
}

function opened(secretKey: string, payment_id: string, sealed: Buffer): Action | null {
  try {
    return JSON.parse(unseal(sealingOf(secretKey, payment_id), sealed)) as Action;
  } catch {
    return null;
  }
}

function sealingOf(secretKey: string, context: string): Sealing {
  const key = Buffer.from(hkdfSync('sha256', secretKey, '', 'commerce payment actions', 32));
  return { key, tag: 'last', context };
}
