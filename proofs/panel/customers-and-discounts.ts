import { unwrap } from '@commerce-backend/sdk';
import { expect } from 'vitest';
import { inPanel } from './visit.ts';

inPanel(
  'a customer is found by search, viewed, changed and erased',
  async ({ open, fill, press, sees, look, dashboard, width }) => {
    const email = `ada-${width}@customer.example`;
    await unwrap(dashboard.POST('/api/dashboard/customers', { body: { email, first_name: 'Ada', last_name: 'Lark' } }));
    await open('/customers');
    await look('customers');
    await fill('Search', email);
    await sees(email);
    await press('Ada Lark', 'link');
    await sees('Contact');
    await look('customer');
    await press('Change');
    await fill('Phone', '+49 30 901820');
    await look('customer-dialog');
    await press('Save');
    await sees('+49 30 901820');
    await press('Erase personal data');
    await look('customer-erase');
    await press('Erase');
    await sees('Erased');
  },
);

inPanel('saving a customer or a discount code keeps changes that somebody else made in the meantime', async (visit) => {
  const { open, fill, press, sees, dashboard, width } = visit;
  const email = `both-${width}@customer.example`;
  const { id: customer_id } = await unwrap(dashboard.POST('/api/dashboard/customers', { body: { email } }));
  const of = { params: { path: { customer_id } } };
  await open(`/customers/${customer_id}`);
  await press('Change');
  await fill('First name', 'Ada');
  await unwrap(dashboard.PATCH('/api/dashboard/customers/{customer_id}', { ...of, body: { note: 'Rings twice' } }));
  await press('Save');
  await sees('Saved.');
  const customer = await unwrap(dashboard.GET('/api/dashboard/customers/{customer_id}', of));
  expect(customer).toMatchObject({ first_name: 'Ada', note: 'Rings twice' });

  const body = { code: `BOTH${width}`, kind: 'percentage' as const, value: '10', usage_limit: 5 };
  const { id: discount_id } = await unwrap(dashboard.POST('/api/dashboard/discounts', { body }));
  const code = { params: { path: { discount_id } } };
  await open(`/discounts/${discount_id}`);
  await fill('Percent', '12');
  await unwrap(dashboard.PATCH('/api/dashboard/discounts/{discount_id}', { ...code, body: { usage_limit: 9 } }));
  await press('Save');
  await sees('Somebody else changed this meanwhile');
  await press('Keep mine');
  await sees('Saved.');
  const kept = await unwrap(dashboard.GET('/api/dashboard/discounts/{discount_id}', code));
  expect(kept).toMatchObject({ value: '12.00', usage_limit: 9 });
});

inPanel(
  'a discount code is created, limited and deleted',
  async ({ open, fill, press, sees, look, dashboard, width }) => {
    const code = `SUMMER${width}`;
    await open('/discounts');
    await look('discounts');
    await press('Add a code', 'link');
    await fill('Code', code);
    await fill('Percent', '15');
    await fill('Uses in total', '100');
    await look('discount-new');
    await press('Save');
    await sees('Nobody yet.');
    await look('discount');
    const { discounts } = await unwrap(dashboard.GET('/api/dashboard/discounts', { params: { query: { q: code } } }));
    expect(discounts).toMatchObject([{ code, kind: 'percentage', value: '15.00', usage_limit: 100 }]);
    await press('Delete');
    await sees(`Delete ${code}?`);
    await press('Delete');
    await sees(' is deleted.');
  },
);

inPanel(
  'the audit log shows the values before and after a change of a product, and links to the changed product',
  async (visit) => {
    const { open, press, fill, sees, look, text, tab, dashboard, width } = visit;
    const name = `Audited ${width}`;
    const made = await unwrap(dashboard.POST('/api/dashboard/products', { body: { name, price: '5.00' } }));
    const params = { path: { product_id: made.id } };
    await unwrap(dashboard.PATCH('/api/dashboard/products/{product_id}', { params, body: { vendor: 'Northwind' } }));
    await open('/audit');
    await sees('Update product');
    await look('audit');
    expect(await text()).not.toContain('Guests of the storefront)');
    await fill('What', 'dashboard.updateProduct');
    await sees('Northwind');
    expect(await text()).toMatch(/vendor\s+–\s*→\s*is now\s*Northwind/);
    await look('audit-changes');
    await press(name, 'link');
    await tab.waitForFunction(`document.querySelector('h1')?.textContent.startsWith('${name}')`);
  },
);
