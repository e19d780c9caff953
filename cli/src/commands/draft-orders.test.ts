import contract from '@commerce-backend/spec/openapi.json' with { type: 'json' };
import { expect, test } from 'vitest';
import { fakeServer, loggedIn } from '../testing.ts';

const VARIANT = '0192f3a0-5555-7000-8000-000000000002';

async function given() {
  const made = contract.components.examples.DraftOrder.value;
  const server = await fakeServer({ 'POST /api/dashboard/draft-orders': () => ({ status: 201, body: made }) });
  return { server, ...(await loggedIn(server.url)) };
}

test('sends custom items after the products, with name, price and tax class', async () => {
  const { server, commerce } = await given();
  const items = [
    '--custom-item',
    'Gift = box=2@5.00',
    '--item',
    `${VARIANT}=4@11.00`,
    '--custom-item',
    'Workshop=1@90:reduced',
  ];
  const { code } = await commerce(['draft-orders', 'create', '--email', 'june@example.com', ...items]);
  expect(code).toBe(0);
  expect(server.seen.at(-1)?.body).toMatchObject({
    lines: [
      { variant_id: VARIANT, quantity: 4, price: '11.00' },
      { name: 'Gift = box', quantity: 2, price: '5.00' },
      { name: 'Workshop', quantity: 1, price: '90', tax_class: 'reduced' },
    ],
  });
});

test.each([
  ['--custom-item', 'Engraving=2', 'Engraving=2 is not a name with a quantity and a price.'],
  ['--custom-item', 'Engraving@5.00', 'Engraving@5.00 is not a name with a quantity and a price.'],
  ['--note', 'Nothing', 'A draft order needs a line.'],
])('`draft-orders create` rejects the option %s %s before it sends a request', async (flag, value, message) => {
  const { server, commerce } = await given();
  const { code, err } = await commerce(['draft-orders', 'create', flag, value]);
  expect(code).toBe(2);
  expect(err).toContain(message);
  expect(server.seen.filter(({ path }) => path.includes('draft-orders'))).toEqual([]);
});
