import { expect, test } from 'vitest';
import { documentsOf, givenSeller } from '../../test/invoices.ts';
import { openShop } from '../../test/shop.ts';

type Shop = Awaited<ReturnType<typeof openShop>>;

async function openTaxedShop(settings: Parameters<typeof givenSeller>[1] = {}): Promise<Shop> {
  const shop = await openShop();
  await shop.givenTerms({
    tax_rates: [
      { country: 'DE', rate: '0.19' },
      { country: 'DE', class: 'reduced', rate: '0.07' },
    ],
  });
  await givenSeller(shop, settings);
  return shop;
}

const kindsOf = (documents: { kind: string; total: string }[]) => documents.map(({ kind, total }) => [kind, total]);

test('issues the invoice of an order that is paid by card when it is placed', async () => {
  const shop = await openTaxedShop({ issue: 'on_payment' });

  const order = await shop.givenOrder({ payment_method: 'card', card_token: 'tok_success' });

  expect(kindsOf(await documentsOf(shop, order.id))).toEqual([['invoice', order.total]]);
});
