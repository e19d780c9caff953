import { randomInt, randomUUID } from 'node:crypto';
import type { Operation } from '../../server/src/http/contract/contract.ts';
import { mintUserCode } from '../../server/src/shop/agents/user-codes.ts';
import { kindsOf } from '../testing/objects.ts';
import { type Slot, slotsOf } from '../testing/request-values.ts';
import type { Kind } from '../testing/tenant.ts';

/** Returns the places of a request that accept a single id, with the kinds of object that it may identify. */
export function idPlaces(operation: Operation, body: unknown): { slot: Slot; kinds: Kind[] }[] {
  return slotsOf(operation, body).flatMap((slot) => {
    const kinds = kindsOf(slot.name, slot.schema, operation.id);
    const isList = [slot.schema.type].flat().includes('array');
    return kinds && !isList ? [{ slot, kinds }] : [];
  });
}

/** Returns an id that never existed, in the same form as `id`. If the form contains a time, the time is the same. */
export function nothingLike(kind: Kind, id: string): string {
  if (kind === 'user_code') return mintUserCode();
  if (/^[0-9a-f]{8}-/.test(id)) return id.slice(0, -12) + randomUUID().slice(-12);
  return [...id].map((char) => (/[a-z]/.test(char) ? String.fromCharCode(97 + randomInt(26)) : char)).join('');
}
