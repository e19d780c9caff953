import { unwrap } from '@commerce-backend/sdk';
import { expect } from 'vitest';
import { inPanel } from './visit.ts';

inPanel('a draft is created with a custom line that is exempt from withdrawal', async (visit) => {
  const { open, look, press, fill, sees, dashboard } = visit;
  await open('/drafts/new');
  await press('Add a custom line');
  await fill('Name', 'Engraving of 40 mugs');
  await fill('Price', '60.00');
  await fill('Tax class', 'reduced');
  await fill('Right of withdrawal', 'custom_made');
  await fill('Quantity', '2');
  await fill('E-mail', 'office@mail.example');
  await look('draft-custom-line');
  await press('Create draft');
  await sees('The draft is created.');
  await sees('Engraving of 40 mugs');
  await look('draft-with-custom-line');

  const { draft_orders } = await unwrap(dashboard.GET('/api/dashboard/draft-orders'));
  const params = { path: { draft_order_id: draft_orders[0]?.id ?? '' } };
  const draft = await unwrap(dashboard.GET('/api/dashboard/draft-orders/{draft_order_id}', { params }));
  expect(draft).toMatchObject({
    email: 'office@mail.example',
    lines: [
      {
        ...{ variant_id: null, name: 'Engraving of 40 mugs', quantity: 2, price: '60.00', tax_class: 'reduced' },
        ...{ requires_shipping: true, withdrawal_exempt: 'custom_made' },
      },
    ],
  });
});

inPanel('a custom line that was added by mistake can be removed', async (visit) => {
  const { open, press, fill, tab } = visit;
  await open('/drafts/new');
  await press('Add a custom line');
  await fill('Name', 'Mistake');
  await press('Remove Mistake');
  await tab.waitForFunction(`!document.querySelector('input[value="Mistake"]')`);
});

inPanel('a delivery option gets a cash on delivery fee, and emptying the field removes the fee', async (visit) => {
  const { open, look, press, fill, seesNoDialog, dashboard, tab } = visit;
  const feeOf = async (wanted: string) => {
    const { shipping_options } = await unwrap(dashboard.GET('/api/dashboard/shipping-options'));
    return shipping_options.find(({ name }) => name === wanted)?.cash_on_delivery_fee;
  };
  await open('/settings/delivery');
  await press('Add an option');
  await fill('Name', 'Parcel with payment');
  await fill('Price in EUR', '4.90');
  await fill('Fee of payment on delivery in EUR', '3,50');
  await look('delivery-fee');
  await press('Save');
  await seesNoDialog();
  expect(await feeOf('Parcel with payment')).toBe('3.50');

  await press('Edit Parcel with payment');
  // `fill` would empty the field by script, which React does not notice.
  await tab.locator('::-p-aria([name="Fee of payment on delivery in EUR"])').click({ count: 3 });
  await tab.keyboard.press('Backspace');
  await press('Save');
  await seesNoDialog();
  expect(await feeOf('Parcel with payment')).toBeNull();
});

inPanel('the invoices of a period are downloaded as ZIP, and an empty period shows an error', async (visit) => {
  const { open, look, press, fill, sees, tab } = visit;
  await open('/settings/invoices');
  await sees('Invoices of a period');
  await tab.evaluate('URL.createObjectURL = (blob) => { window.saved = [blob.type, blob.size > 1000]; return "#"; }');
  await look('invoice-archive');
  await fill('First day', '2020-01-01');
  await fill('Last day', '2020-01-31');
  await press('Download as ZIP');
  await sees('No document was issued in this period.');
  expect(await tab.evaluate('window.saved')).toBeUndefined();

  await fill('First day', '2021-01-01');
  await fill('Last day', '2099-12-31');
  await press('Download as ZIP');
  await tab.waitForFunction('window.saved !== undefined');
  expect(await tab.evaluate('window.saved')).toEqual(['application/zip', true]);
});
