/**
 * The QR code that fills in a transfer in banking apps ("GiroCode"): EPC069-12 of the European Payments Council,
 * version 002. It exists only for EUR.
 */

import type { PaymentInstructions } from '@commerce-backend/spec';
import { encode } from 'uqr';

/** Code for UTF-8 in the payload, maximum lengths, and the maximum amount. */
const UTF_8 = '1';
const LONGEST_NAME = 70;
const LONGEST_REFERENCE = 140;
const HIGHEST = 999_999_999.99;
/** The largest QR code in the standard: version 13 with error correction M. */
const LARGEST = { version: 13, bytes: 331 };
/** Width of the white border in modules (ISO/IEC 18004 §5.3.8). */
const BORDER = 4;

/** Dark modules are true. Includes the white border. */
export type TransferCode = boolean[][];

/** Returns the QR code of a transfer; undefined if the standard does not allow one. */
export function transferCode(instructions: Omit<PaymentInstructions, 'due_at'>): TransferCode | undefined {
  const payload = payloadOf(instructions);
  if (payload === undefined || Buffer.byteLength(payload) > LARGEST.bytes) return undefined;
  // Byte mode, because the payload is UTF-8.
  const bytes = [...Buffer.from(payload)];
  return encode(bytes, { ecc: 'M', boostEcc: false, maxVersion: LARGEST.version, border: BORDER }).data;
}

function payloadOf({
  currency,
  amount,
  account_holder,
  iban,
  bic,
  reference,
}: Omit<PaymentInstructions, 'due_at'>): string | undefined {
  const euros = Number(amount);
  if (currency !== 'EUR' || euros < 0.01 || euros > HIGHEST) return undefined;
  const name = oneLine(account_holder, LONGEST_NAME);
  const [noPurpose, noStructuredReference] = ['', ''];
  const parties = [bic ?? '', name, iban.replaceAll(' ', '')];
  const remittance = [noPurpose, noStructuredReference, oneLine(reference, LONGEST_REFERENCE)];
  return ['BCD', '002', UTF_8, 'SCT', ...parties, `EUR${amount}`, ...remittance].join('\n');
}

/** Replaces line breaks, because each one would start the next field. */
function oneLine(text: string, longest: number): string {
  const [...characters] = text.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim();
  return characters.slice(0, longest).join('');
}
