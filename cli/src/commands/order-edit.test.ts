import contract from '@commerce-backend/spec/openapi.json' with { type: 'json' };
import { expect, test } from 'vitest';
import { type Answers, fakeServer, loggedIn } from '../testing.ts';

// biome-ignore-start lint/suspicious/noExplicitAny: the contract's own examples.
const DETAILS: any = contract.components.examples.OrderDetails.value;
const EDIT: any = contract.components.examples.OrderEdit.value;
const EXCHANGED: any = contract.components.examples.ExchangedReturn.value;
// biome-ignore-end lint/suspicious/noExplicitAny: until here.
const { id } = DETAILS;
const ORDER = `/api/dashboard/orders/${id}`;
const LID = '0192f3a0-5555-7000-8000-000000000002';
const [LINE] = DETAILS.line_items;

async function merchant(answers: Answers) {
  const page = { orders: [DETAILS], total: 1, page: 1, limit: 20, pages: 1 };
  const server = await fakeServer({
    'GET /api/dashboard/orders': { body: page },
    [`GET ${ORDER}`]: { body: DETAILS },
    ...answers,
  });
  return { ...server, ...(await loggedIn(server.url)) };
}

test('`orders edit` shows the total of a dry run, asks for confirmation, and sends the edit with that total', async () => {
  const edited = { ...EDIT, expected_total: '40.00', order: { ...DETAILS, total: '40.00', amount_due: '4.18' } };
  const { commerce, seen } = await merchant({ [`POST ${ORDER}/edit`]: { body: edited } });

  const { code, out, err } = await commerce(['orders', 'edit', '1001', '--set', `${LINE.sku}=1`, '--add', `${LID}=2`], {
    typed: 'y',
  });

  expect(code).toBe(0);
  expect(err).toContain('New total: 35.82 → 40.00 EUR, 4.18 EUR to pay. Edit the order? [y/N]');
  expect(out).toContain('commerce orders record-payment 1001 --amount 4.18');
  const sent = seen.filter(({ path }) => path.endsWith('/edit')).map(({ body }) => body);
  const wanted = { change: [{ line_item_id: LINE.id, quantity: 1 }], add: [{ variant_id: LID, quantity: 2 }] };
  expect(sent).toEqual([
    { ...wanted, dry_run: true },
    { ...wanted, expected_total: '40.00' },
  ]);
});

test('`orders edit --dry-run` sends one request and shows that nothing was changed, and `orders edit` rejects an item without a quantity', async () => {
  const { commerce, seen } = await merchant({ [`POST ${ORDER}/edit`]: { body: EDIT } });

  const { out } = await commerce(['orders', 'edit', '1001', '--set', `${LINE.sku}=0`, '--dry-run']);
  const wrong = await commerce(['orders', 'edit', '1001', '--add', 'MUG-1']);
  const nothing = await commerce(['orders', 'edit', '1001', '--yes']);

  expect(out).toContain('Nothing was changed.');
  expect(seen.filter(({ path }) => path.endsWith('/edit'))).toHaveLength(1);
  expect(wrong.err).toContain('--add MUG-1 is not a SKU with a quantity.');
  expect(nothing.err).toContain('Nothing to change.');
});

test('`returns exchange` sends the new products and the price option', async () => {
  const found = EXCHANGED.return;
  const { commerce, seen } = await merchant({
    [`GET /api/dashboard/returns/${found.id}`]: { body: found },
    [`POST /api/dashboard/returns/${found.id}/exchange`]: { status: 201, body: EXCHANGED },
  });

  const { code, out } = await commerce(['returns', 'exchange', found.id, '--get', `${LID}=1`, '--price', 'paid']);

  expect(code).toBe(0);
  expect(out).toContain('15.00 EUR paid by the return');
  expect(seen.at(-1)?.body).toEqual({ lines: [{ variant_id: LID, quantity: 1 }], price: 'paid' });
});
