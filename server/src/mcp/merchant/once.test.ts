import sql from 'sql-template-tag';
import { expect, test } from 'vitest';
import { givenAssistant } from '../../../test/assistants.ts';
import { connect } from '../../../test/mcp-client.ts';
import { openShop } from '../../../test/shop.ts';
import { operationOf } from '../../http/contract/contract.ts';
import { OFFERED } from './operations.ts';

const actionPath = '/api/dashboard/assistant-actions/{action_id}';
const confirmPath = `${actionPath}/confirm` as const;
const declinePath = `${actionPath}/decline` as const;
const at = (action_id: string) => ({ params: { path: { action_id } } });

/** Lets an assistant request five more pieces of a variant that has ten. */
async function askForStock() {
  const shop = await openShop();
  const { variants } = await shop.givenProduct({ name: 'Mug', inventory_quantity: 10 });
  const assistant = await givenAssistant(shop);
  const mcp = await connect(`${shop.baseUrl}/mcp/merchant`, assistant.access_token);
  const given = { variant_id: variants[0]?.id, delta: 5, reason: 'received' };
  const { action_id } = await mcp.use<{ action_id: string }>('adjust_inventory', given);
  const stockNow = async () =>
    (await shop.dashboard.GET('/api/dashboard/inventory', {})).data?.inventory[0]?.inventory_quantity;
  /** Simulates that the server stopped this long ago, after the staff member had confirmed. */
  const interrupt = (ago: string) =>
    shop.owner.query(
      sql`update commerce.assistant_actions set status = 'running', result = null, taken_at = now() - ${ago}::interval
        where site_id = ${shop.site_id} and id = ${action_id}`,
    );
  return { ...assistant, ...mcp, shop, given, action_id, stockNow, interrupt };
}

test('a request whose idempotency key is the id of a requested change does not prevent the confirmed change from running', async () => {
  const { use, given, action_id, staff, stockNow } = await askForStock();
  await use('adjust_inventory', { ...given, meta: { 'idempotency-key': action_id } });

  expect((await staff.POST(confirmPath, at(action_id))).data).toMatchObject({
    status: 'done',
    result: { status: 200 },
  });
  expect(await stockNow()).toBe(15);
});

test('a confirmed change whose call was interrupted can be confirmed again after three minutes', async () => {
  const { staff, action_id, interrupt, stockNow } = await askForStock();
  await interrupt('1 minute');
  expect((await staff.POST(confirmPath, at(action_id))).error).toMatchObject({
    error: 'action_not_pending',
    status: 'running',
  });
  await interrupt('4 minutes');
  expect((await staff.POST(declinePath, at(action_id))).error).toMatchObject({ error: 'action_not_pending' });

  expect((await staff.POST(confirmPath, at(action_id))).data).toMatchObject({ status: 'done' });
  expect(await stockNow()).toBe(15);
});

test('confirming again a change that had run before the server stopped returns its result, and does not run it again', async () => {
  const { staff, action_id, interrupt, stockNow } = await askForStock();
  await staff.POST(confirmPath, at(action_id));
  expect(await stockNow()).toBe(15);
  await interrupt('4 minutes');

  expect((await staff.POST(confirmPath, at(action_id))).data).toMatchObject({
    status: 'done',
    result: { status: 200 },
  });
  expect(await stockNow()).toBe(15);
});

test('an interrupted change cannot be confirmed again once its stored response may have been deleted', async () => {
  const { shop, staff, action_id, interrupt, stockNow } = await askForStock();
  await interrupt('4 minutes');
  await shop.owner.query(
    sql`update commerce.assistant_actions set expires_at = now() - interval '61 minutes'
      where site_id = ${shop.site_id} and id = ${action_id}`,
  );

  expect((await staff.POST(confirmPath, at(action_id))).error).toMatchObject({ error: 'action_not_pending' });
  expect(await stockNow()).toBe(10);
});

test('assistants are offered no operation that requires a step-up, because a confirmation does not ask for the password', () => {
  const withStepUp = OFFERED.map(({ id }) => operationOf(id)).filter(({ stepUp }) => stepUp !== false);

  expect(withStepUp.map(({ id, stepUp }) => [id, stepUp])).toEqual([]);
});
