import { expect, test } from 'vitest';
import { givenAssistant } from '../../../test/assistants.ts';
import { connect } from '../../../test/mcp-client.ts';
import { openShop } from '../../../test/shop.ts';

const actionPath = '/api/dashboard/assistant-actions/{action_id}';
const at = (action_id: string) => ({ params: { path: { action_id } } });

async function openAssistant() {
  const shop = await openShop();
  const assistant = await givenAssistant(shop);
  const mcp = await connect(`${shop.baseUrl}/mcp/merchant`, assistant.access_token);
  /** Asks for a change, and returns it as the member sees it. */
  const ask = async (tool: string, given: object) => {
    const { action_id } = await mcp.use<{ action_id: string }>(tool, given as Record<string, unknown>);
    return (await assistant.staff.GET(actionPath, at(action_id))).data;
  };
  return { ...assistant, ...mcp, shop, ask };
}

test('the member also sees the parts of an address and the metadata that a change removes', async () => {
  const { shop, staff, ask } = await openAssistant();
  const { id: order_id } = await shop.givenOrder();
  const params = { path: { order_id } };
  const address = {
    last_name: 'Okafor',
    address1: 'Lindenallee 7',
    city: 'Berlin',
    country: 'DE',
    postal_code: '10115',
  };
  const body = { shipping_address: { ...address, address2: 'Rear building' }, metadata: { gift: 'yes', lift: 'no' } };
  await staff.PATCH('/api/dashboard/orders/{order_id}', { params, body });

  const shown = await ask('update_order', { order_id, shipping_address: address, metadata: { gift: 'yes' } });
  expect(shown?.changes).toEqual(
    expect.arrayContaining([
      { field: 'shipping_address.city', before: 'Berlin', after: 'Berlin' },
      { field: 'shipping_address.address2', before: 'Rear building', after: '' },
      { field: 'metadata.lift', before: 'no', after: '' },
    ]),
  );
  await staff.POST(`${actionPath}/confirm`, at(shown?.id ?? ''));
  const { data } = await staff.GET('/api/dashboard/orders/{order_id}', { params });
  expect(data?.shipping_address?.address2 ?? null).toBeNull();
  expect(data?.metadata).toEqual({ gift: 'yes' });
});

test('the member sees the name of the variant whose stock or price changes, not only its id', async () => {
  const { shop, ask } = await openAssistant();
  const product = await shop.givenProduct({
    name: 'Mug',
    options: [{ name: 'Size', values: ['Small', 'Large'] }],
    variants: [
      { option1: 'Small', price: '10.00', sku: 'M-S' },
      { option1: 'Large', price: '12.00', sku: 'M-L' },
    ],
  });
  const variant_id = product.variants.find(({ sku }) => sku === 'M-L')?.id;

  const stock = await ask('adjust_inventory', { variant_id, delta: 5, reason: 'received' });
  const price = await ask('update_variant', { product_id: product.id, variant_id, price: '13.00' });
  expect([stock?.target, price?.target]).toEqual(['Mug, Large, M-L', 'Mug, Large, M-L']);
});
