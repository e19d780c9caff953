import { expect, test } from 'vitest';
import type { Actor } from '../shop.ts';
import { type Frozen, thawed } from './frozen.ts';
import type { CheckoutRow } from './state.ts';

test('a payment stored by an older version keeps its shipping tax', () => {
  const totals = { subtotal: 1000, discount: 0, shipping_cost: 490, tax: 238, total: 1490, shipping_tax: 78 };
  const frozen = { priced: { totals, tax: { rate: '0.19', included: true } }, actor: {} as Actor } as unknown as Frozen;

  expect(thawed(frozen, {} as CheckoutRow).totals.shipping_taxes).toEqual([
    { tax_class: 'standard', rate: '0.19', amount: 490, tax: 78 },
  ]);
});
