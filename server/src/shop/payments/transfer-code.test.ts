import type { PaymentInstructions } from '@commerce-backend/spec';
import { expect, test } from 'vitest';
import { readCode } from '../../../test/qr-code.ts';
import { transferCode } from './transfer-code.ts';

const TRANSFER: PaymentInstructions = {
  account_holder: 'Erle & Fink Möbel GmbH',
  iban: 'DE89370400440532013000',
  bic: 'COBADEFFXXX',
  bank_name: 'Commerzbank',
  reference: '1042',
  amount: '36.00',
  currency: 'EUR',
  due_at: '2026-11-25T12:00:00.000Z',
  instructions: null,
};

test('the QR code for a transfer contains recipient, account, amount in EUR and reference', () => {
  expect(readCode(transferCode(TRANSFER))?.split('\n')).toEqual([
    ...['BCD', '002', '1', 'SCT', 'COBADEFFXXX', 'Erle & Fink Möbel GmbH', 'DE89370400440532013000'],
    ...['EUR36.00', '', '', '1042'],
  ]);
});

test('the QR code for a transfer has an empty line if there is no BIC', () => {
  expect(readCode(transferCode({ ...TRANSFER, bic: null }))?.split('\n')[4]).toBe('');
});

test('truncates recipient names to 70 characters and removes line breaks', () => {
  const account_holder = `Erle\nGB00EVIL\r\u0000 ${'ß'.repeat(90)}`;
  const lines = readCode(transferCode({ ...TRANSFER, account_holder }))?.split('\n') ?? [];

  expect(lines).toHaveLength(11);
  expect(lines[5]).toBe(`Erle GB00EVIL ${'ß'.repeat(56)}`);
});

test.for([
  ['another currency', { currency: 'CHF' }],
  ['nothing to pay', { amount: '0.00' }],
  ['more than the standard allows', { amount: '1000000000.00' }],
  ['more than fits into the largest code', { account_holder: '🛋'.repeat(70), reference: '🛋'.repeat(20) }],
] as const)('creates no QR code for %s', ([, changes]) => {
  expect(transferCode({ ...TRANSFER, ...changes })).toBeUndefined();
});
