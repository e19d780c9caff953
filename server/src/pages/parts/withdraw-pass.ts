import { createHmac, timingSafeEqual } from 'node:crypto';
import { withdrawLink } from '../../shop/links.ts';
import { withQuery } from './paths.ts';

/**
 * The proof that the reader has entered: e-mail address or postal code. A postal code does not give access to the
 * e-mail address of the order.
 */
export type Proof = 'email' | 'code';

/** Lifetime of the link to a prefilled form. */
const LIFE_SECONDS = 60 * 60;

/**
 * Path of the form for a withdrawal from this order, for a reader who has entered the order's e-mail or postal code.
 * The link proves that for an hour, because the form is another page.
 */
export function passedWithdrawPath(secretKey: string, site_id: string, order_id: string, proof: Proof): string {
  const granted = `${Math.floor(Date.now() / 1000) + LIFE_SECONDS}.${proof}`;
  const pass = `${granted}.${signature(secretKey, site_id, order_id, granted)}`;
  return withQuery(knownWithdrawPath(site_id, order_id), 'pass', pass);
}

/** Path of the form for a withdrawal from this order, for its logged-in customer. */
export function knownWithdrawPath(site_id: string, order_id: string): string {
  return withQuery(withdrawLink('', site_id), 'order', order_id);
}

/** Returns the proof that a signed link contains; undefined if the link is invalid or has expired. */
export function proofOf(given: unknown, secretKey: string, site_id: string, order_id: string): Proof | undefined {
  const [, granted = '', until = '', proof, signed = ''] =
    /^((\d{1,12})\.(email|code))\.([A-Za-z0-9_-]{43})$/.exec(String(given)) ?? [];
  if (granted === '' || Number(until) * 1000 < Date.now()) return undefined;
  const isOurs = timingSafeEqual(Buffer.from(signed), Buffer.from(signature(secretKey, site_id, order_id, granted)));
  return isOurs ? (proof as Proof) : undefined;
}

function signature(secretKey: string, site_id: string, order_id: string, granted: string): string {
  return createHmac('sha256', secretKey).update(`withdraw|${site_id}|${order_id}|${granted}`).digest('base64url');
}
