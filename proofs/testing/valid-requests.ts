import { randomUUID } from 'node:crypto';
import { generateSync } from 'otplib';
import { document, type Operation, type Parameter, resolve } from '../../server/src/http/contract/contract.ts';
import { agentsOwn, approvedDeviceCode, isAgentWithStorefront, openAgent, ownAgent } from './agents.ts';
import { assistantRequest, makeAssistant } from './assistants.ts';
import { asGuest, CUSTOMER_PASSWORD, mailedCode, openAccount } from './customers.ts';
import { freshIds, isForCustomers, kindsOf, MAKERS, makeRoom, reviveSyncKey } from './objects.ts';
import type { Call } from './raw-requests.ts';
import {
  authorize,
  carryOn,
  carryReturnOn,
  completeSeller,
  letExpire,
  makeDocument,
  makeReturn,
  makeRoomToShip,
  syncOrderOf,
  takeTransfers,
  unmatchWithdrawal,
} from './sales.ts';
import { sampleOf } from './schema-samples.ts';
import { hire, invite, makeRoomToInvite, newPerson, openStaffSession, staffReset } from './staff.ts';
import { makeRoomForWebhooks, makeRoomToListen } from './subscriptions.ts';
import { callAs, credentialsOf, type Ids, type Kind, operationOf, type Tenant, type World } from './tenant.ts';

/** Options for a valid request, which is made from the contract's examples and a tenant's objects. */
export interface Wish {
  /** The objects of the call; by default the tenant's for a safe operation, and new ones otherwise. */
  ids?: Partial<Ids>;
  /**
   * The index of a security alternative; by default the last one that does not combine an agent's token with the
   * storefront's.
   */
  alternative?: number;
  /** Whether to send every query parameter except cursors. */
  full?: boolean;
}

export async function validCall(world: World, tenant: Tenant, operation: Operation, wish: Wish = {}): Promise<Call> {
  const reads = operation.method === 'get';
  const alternative =
    wish.alternative ?? operation.security.findLastIndex((schemes) => !isAgentWithStorefront(schemes));
  const byAgent = isAgentWithStorefront(operation.security[alternative] ?? []);
  const made = wish.ids ?? (operation.safe ? tenant.ids : await freshIds(world, tenant, operation));
  // An agent only sees the carts and checkouts that it created.
  const ids = byAgent && !wish.ids ? { ...made, ...(await agentsOwn(world, tenant)) } : made;
  if (operation.surface === 'sync') await reviveSyncKey(world, tenant);
  const { path, query } = parametersOf(operation, ids, wish.full ?? false);
  const credentials = credentialsOf(tenant, operation, alternative);
  const call: Call = {
    operation,
    path,
    query,
    headers: {
      ...credentials,
      ...(isForCustomers(operation) && { Authorization: `Bearer ${ids.customer_token?.[0]}` }),
      ...(!reads && { 'Idempotency-Key': randomUUID() }),
    },
    body: withIds(unique(exampleOf(operation)), ids, operation),
  };
  await ADJUSTMENTS[operation.id]?.(call, { world, tenant, ids });
  return call;
}

interface Scene {
  world: World;
  tenant: Tenant;
  ids: Partial<Ids>;
}

function asItsCustomer(call: Call, { tenant }: Scene): void {
  call.headers.Authorization = `Bearer ${tenant.secrets.CustomerToken}`;
}

function returnLine(call: Call, { ids }: Scene): void {
  const lines = [{ line_item_id: ids.shipped_line?.[0], quantity: 1, reason: 'other' }];
  call.body = { order_id: ids.shipped_order?.[0], lines };
}

function draftLine(call: Call, { ids }: Scene): void {
  const { customer_id: _, ...body } = call.body as Record<string, unknown>;
  call.body = { ...body, lines: [{ variant_id: ids.variant?.[0], quantity: 1 }] };
}

/** Changes to calls that the examples cannot express, because the calls depend on the current state. */
const ADJUSTMENTS: Partial<Record<string, (call: Call, scene: Scene) => Promise<void> | void>> = {
  // Sets the days, because random days may be in the wrong order or too far apart.
  'dashboard.getSalesReport': ({ query }) => {
    if (query.from !== undefined) Object.assign(query, { from: '2026-11-01', to: '2026-11-30' });
  },
  // Logs in a new member of staff each time, because the login delay may apply to a login that was attacked before.
  'dashboard.login': async (call, { world, tenant }) => {
    const { email, password } = await hire(world, tenant.site_id, tenant.canary);
    call.body = { email, password };
  },
  'dashboard.logout': async (call, { world, tenant }) => {
    const [, second] = tenant.staff;
    call.headers.Authorization = `Bearer ${(await openStaffSession(world, second?.email ?? '')).secret}`;
  },
  'dashboard.confirmIdentity': (call, { tenant }) => {
    call.body = { password: tenant.staff[0]?.password };
  },
  'dashboard.changePassword': async (call, { world, tenant }) => {
    const { email, password } = await hire(world, tenant.site_id, tenant.canary);
    call.headers.Authorization = `Bearer ${(await openStaffSession(world, email)).secret}`;
    call.body = { ...(call.body as object), current_password: password };
  },
  'dashboard.resetStaffPassword': async (call, { world, tenant }) => {
    call.body = { ...(call.body as object), token: await staffReset(world, tenant) };
  },
  'dashboard.confirmTwoFactor': async (call, { world, tenant }) => {
    call.body = await setUpTwoFactor(world, await asSomebodyNew(call, world, tenant));
  },
  'dashboard.replaceRecoveryCodes': async (call, { world, tenant }) => {
    const person = await asSomebodyNew(call, world, tenant);
    await callAs(world, person, 'dashboard.confirmTwoFactor', await setUpTwoFactor(world, person));
  },
  // Imports new orders each time, because importing the same orders again changes nothing.
  'dashboard.importOrders': (call) => {
    const { orders } = call.body as { orders: object[] };
    const renewed = orders.map((order) => ({ ...order, order_number: randomUUID(), external_reference: randomUUID() }));
    call.body = { ...(call.body as object), orders: renewed };
  },
  // Sends the mail about a placed order, the only mail that fits a new order.
  'dashboard.sendOrderMail': (call) => {
    call.body = { kind: 'placed' };
  },
  'dashboard.getAssistantRequest': async (call, { world }) => {
    call.query.request = await assistantRequest(world);
  },
  'dashboard.connectAssistant': async (call, { world, tenant }) => {
    await makeAssistant(world, tenant);
    call.body = { ...(call.body as object), request: await assistantRequest(world) };
  },
  'dashboard.createStaffInvitation': (_call, { world, tenant }) => makeRoomToInvite(world, tenant),
  'dashboard.getInvitation': async (call, { world, tenant }) => {
    await makeRoomToInvite(world, tenant);
    call.body = { token: (await invite(world, tenant)).token };
  },
  'dashboard.registerStaff': async (call, { world, tenant }) => {
    await makeRoomToInvite(world, tenant);
    call.body = { ...(call.body as object), token: (await invite(world, tenant)).token };
  },
  // The invitation is accepted by a person who does not yet work for the shop, in that person's own session.
  'dashboard.acceptInvitation': async (call, { world, tenant }) => {
    await makeRoomToInvite(world, tenant);
    const { email } = await newPerson(world, tenant.canary);
    call.headers.Authorization = `Bearer ${(await openStaffSession(world, email)).secret}`;
    call.body = { token: (await invite(world, tenant, { email })).token };
  },
  'dashboard.createApiKey': (_call, { world, tenant }) => makeRoom(world, tenant, 'api_key'),
  'dashboard.createStorefrontToken': (_call, { world, tenant }) => makeRoom(world, tenant, 'storefront'),
  'dashboard.createSyncKey': (_call, { world, tenant }) => makeRoom(world, tenant, 'sync'),
  // Uses a product with one variant, because deleting an option fails if two variants would become the same.
  'dashboard.deleteOption': async (call, { world, tenant }) => {
    const single = await MAKERS.product.make(world, tenant, 1);
    call.path = { product_id: single.product?.[0] ?? '', option_id: single.option?.[0] ?? '' };
  },
  'dashboard.addCollectionProducts': (call, { ids }) => {
    call.body = { product_ids: [ids.product?.[2]] };
  },
  'dashboard.bulkUpdateProducts': (call, { ids }) => {
    call.body = { product_ids: ids.product?.slice(0, 1), change: { add_tags: ['winter'] } };
  },
  'dashboard.updateVariants': (call, { ids }) => {
    call.body = { variants: [{ variant_id: ids.variant?.[0], barcode: '4006381333931' }] };
  },
  'dashboard.createShippingOption': (_call, { world, tenant }) => makeRoomToShip(world, tenant),
  'dashboard.createDiscount': (call, { ids }) => {
    call.body = { ...(call.body as object), product_ids: ids.product?.slice(0, 1), collection_ids: ids.collection };
  },
  'dashboard.updateDiscount': (call, { ids }) => {
    call.body = { ...(call.body as object), product_ids: ids.product?.slice(0, 1), collection_ids: ids.collection };
  },
  'dashboard.createFulfillment': async (call, { world, tenant, ids }) => {
    await carryOn(world, tenant, ids.order?.[0] ?? '', 'paid');
    call.body = { ...(call.body as object), items: [{ line_item_id: ids.order_line?.[0], quantity: 1 }] };
  },
  'dashboard.markOrderDelivered': (_call, { world, tenant, ids }) =>
    carryOn(world, tenant, ids.order?.[0] ?? '', 'shipped'),
  'dashboard.captureOrder': (call, { world, tenant, ids }) => {
    delete call.body;
    return authorize(world, tenant, ids.order?.[0] ?? '');
  },
  'dashboard.recordOrderPayment': (call, { world, tenant, ids }) => {
    call.body = { ...(call.body as object), received_at: null };
    return letExpire(world, tenant, ids.order?.[0] ?? '');
  },
  'dashboard.createDraftOrder': draftLine,
  // Exports the period of one document, because a ZIP has at most 100.
  'dashboard.exportDocuments': async (call, { world, ids }) => {
    const { rows } = await world.owner.query<{ issued_from: string; issued_to: string }>(
      `select commerce.iso(issued_at) as issued_from, commerce.iso(issued_at + interval '1 millisecond') as issued_to
        from commerce.documents where id = $1`,
      [ids.document?.[0]],
    );
    call.query = { ...rows[0] };
  },
  'dashboard.updateDraftOrder': draftLine,
  'dashboard.completeDraftOrder': (call) => {
    call.body = { payment_method: 'bank_transfer' };
  },
  'dashboard.reinstateOrder': async (call, { world, tenant, ids }) => {
    const order_id = ids.order?.[0] ?? '';
    await letExpire(world, tenant, order_id);
    await callAs(world, tenant, 'dashboard.recordOrderPayment', { amount: '100000.00' }, { order_id });
    call.body = { keep_prices: true };
  },
  'dashboard.editOrder': async (call, { world, tenant, ids }) => {
    const order_id = ids.order?.[0] ?? '';
    const add = [{ variant_id: ids.variant?.[0], quantity: 1 }];
    const preview = (await callAs(world, tenant, 'dashboard.editOrder', { add, dry_run: true }, { order_id })) as {
      expected_total: string;
    };
    call.body = { add, expected_total: preview.expected_total };
  },
  'dashboard.deletePaymentAccount': async (_call, { world, tenant }) => {
    await callAs(world, tenant, 'dashboard.updatePaymentAccount', { secret_key: 'sk_test_ofAlder' });
  },
  // The order belongs to the tenant's customer, who makes the call.
  'storefront.requestReturn': (call, scene) => {
    asItsCustomer(call, scene);
    returnLine(call, scene);
  },
  'storefront.getCustomerReturn': async (call, scene) => {
    asItsCustomer(call, scene);
    call.path = { return_id: (await makeReturn(scene.world, scene.tenant)).return?.[0] ?? '' };
  },
  'storefront.getCustomerDocumentFile': async (call, scene) => {
    asItsCustomer(call, scene);
    call.path = { ...call.path, document_id: (await makeDocument(scene.world, scene.tenant)).document?.[0] ?? '' };
  },
  'storefront.cancelCustomerReturn': asItsCustomer,
  'storefront.setCustomerReturnTracking': async (call, scene) => {
    asItsCustomer(call, scene);
    await carryReturnOn(scene.world, scene.tenant, scene.ids.return?.[0] ?? '', 'approved');
  },
  'agent.prepareReturn': (call, { ids }) => {
    const lines = [{ line_item_id: ids.shipped_line?.[0], quantity: 1 }];
    call.body = { order_id: ids.shipped_order?.[0], lines, reason: 'other' };
  },
  'dashboard.setReturnTracking': (_call, { world, tenant, ids }) =>
    carryReturnOn(world, tenant, ids.return?.[0] ?? '', 'approved'),
  'dashboard.issueInvoice': (_call, { world, tenant }) => completeSeller(world, tenant),
  'dashboard.createReturn': returnLine,
  'dashboard.receiveReturn': (call, { world, tenant, ids }) => {
    call.body = { lines: [{ id: ids.return_line?.[0], quantity: 1, condition: 'resellable' }] };
    return carryReturnOn(world, tenant, ids.return?.[0] ?? '', 'approved');
  },
  'dashboard.suggestRefund': async (call, { world, tenant }) => {
    const { line_items } = (await callAs(world, tenant, 'dashboard.getOrder', undefined, call.path)) as {
      line_items: { id: string }[];
    };
    call.body = { line_items: [{ line_item_id: line_items[0]?.id, quantity: 1 }] };
  },
  'dashboard.confirmWithdrawal': (call, { ids }) => {
    call.body = { lines: [{ line_item_id: ids.withdrawn_line?.[0], quantity: 1 }] };
  },
  'dashboard.linkWithdrawal': async (call, { world, tenant, ids }) => {
    call.body = { order_number: await unmatchWithdrawal(world, tenant, ids.withdrawal?.[0] ?? '') };
  },
  'dashboard.refundReturn': (call, { world, tenant, ids }) => {
    call.body = { note: tenant.canary };
    return carryReturnOn(world, tenant, ids.return?.[0] ?? '', 'received');
  },
  'dashboard.exchangeReturn': (call, { world, tenant, ids }) => {
    call.body = { lines: [{ variant_id: ids.variant?.[0], quantity: 1 }] };
    return carryReturnOn(world, tenant, ids.return?.[0] ?? '', 'received');
  },
  'dashboard.closeReturn': (_call, { world, tenant, ids }) =>
    carryReturnOn(world, tenant, ids.return?.[0] ?? '', 'received'),
  'dashboard.createRefund': (_call, { world, tenant, ids }) => carryOn(world, tenant, ids.order?.[0] ?? '', 'paid'),
  'storefront.removeDiscount': async ({ headers, path }, { world, tenant }) => {
    const apply = { operation: operationOf('storefront.applyDiscount'), path, query: {} };
    const body = { code: tenant.ids.discount_code[0] };
    await world.send({ ...apply, headers: { ...headers, 'Idempotency-Key': randomUUID() }, body }, tenant);
  },
  'storefront.updateCheckout': (_call, { world, tenant }) => takeTransfers(world, tenant),
  'storefront.completeCheckout': async (call, { world, tenant }) => {
    const checkout = (await callAs(world, asGuest(tenant), 'storefront.getCheckout', undefined, call.path)) as {
      total: string;
    };
    call.body = { expected_total: checkout.total };
  },
  'dashboard.createWebhook': (_call, { world, tenant }) => makeRoomForWebhooks(world, tenant),
  'sync.registerWebhook': (_call, { world, tenant }) => makeRoomForWebhooks(world, tenant),
  'dashboard.createEventListener': (_call, { world, tenant }) => makeRoomToListen(world, tenant),
  // Removes `wait_seconds`, because the call would wait for events that never come.
  'dashboard.listListenerEvents': ({ query }) => {
    delete query.wait_seconds;
  },
  'sync.createOrder': async (call, { world, tenant }) => {
    call.body = await syncOrderOf(world, tenant);
  },
  // Logs in a new customer each time, because the login delay may apply to a login that was attacked before.
  'storefront.loginCustomer': async (call, { world, tenant }) => {
    const { email } = await openAccount(world, tenant);
    call.body = { ...(call.body as object), email, password: CUSTOMER_PASSWORD };
  },
  'storefront.changePassword': (call) => {
    call.body = { ...(call.body as object), current_password: CUSTOMER_PASSWORD };
  },
  'storefront.verifyEmail': async (call, { world, tenant }) => {
    call.body = { token: await mailedCode(world, tenant, 'register') };
  },
  'storefront.resetPassword': async (call, { world, tenant }) => {
    call.body = { ...(call.body as object), token: await mailedCode(world, tenant, 'reset_password') };
  },
  'agent.requestConsent': (call, { tenant }) => {
    call.query = { site_id: tenant.site_id };
  },
  'agent.pollConsent': async (call, { world, tenant }) => {
    call.body = { device_code: await approvedDeviceCode(world, tenant) };
  },
  // Revokes the token of a new agent, because later calls need the tenant's agent token.
  'agent.revokeToken': async (call, { world, tenant }) => {
    const { secret } = await openAgent(world, tenant, tenant.ids.customer[0] ?? '');
    call.headers.Authorization = `Bearer ${secret}`;
  },
  'agent.findAndAdd': (call, { ids }) => {
    call.body = { variant_id: ids.variant?.[0], cart_id: ids.agent_cart?.[0], quantity: 1 };
  },
  'agent.findAndBuy': (call, { ids }) => {
    call.body = { variant_id: ids.variant?.[0], cart_id: ids.agent_cart?.[0], quantity: 1 };
  },
  'agent.listCartShippingOptions': (call) => {
    call.query = { ...call.query, country: 'DE' };
  },
  'agent.removeDiscount': async ({ headers, path }, { world, tenant }) => {
    const apply = { operation: operationOf('agent.applyDiscount'), path, query: {} };
    const body = { code: tenant.ids.discount_code[0] };
    await world.send({ ...apply, headers: { ...headers, 'Idempotency-Key': randomUUID() }, body }, tenant);
  },
  'storefront.revokeAgent': async (call, { world, tenant, ids }) => {
    call.path = { agent_token_id: await ownAgent(world, tenant, ids.customer?.[0] ?? '') };
  },
  'dashboard.replaceProduct': (call, { ids }) => {
    const [one, other] = ids.variant ?? [];
    const { options, variants, ...rest } = call.body as Record<'options' | 'variants', object[]>;
    call.headers['If-Match'] = '*';
    call.body = {
      ...rest,
      options: options.map((option, i) => ({ ...option, id: ids.option?.[i] })),
      variants: [{ ...variants[0], id: one }, { id: other }, ...variants.slice(2)],
      images: [{ id: ids.image?.[0] }, { url: 'https://img.example/more.png' }],
    };
  },
  'dashboard.reorderCollectionProducts': (call, { ids }) => {
    call.body = { product_ids: [ids.product?.[1], ids.product?.[0]] };
  },
};

/** Returns the first example of an operation's request body; undefined if the operation has no body. */
export function exampleOf(operation: Operation): unknown {
  const declared = document.paths[operation.path]?.[operation.method] as Record<string, unknown>;
  if (!declared.requestBody) return undefined;
  const { content } = resolve(declared.requestBody as Record<string, unknown>) as {
    content: Record<string, { example?: unknown; examples?: Record<string, Record<string, unknown>> }>;
  };
  const media = content['application/json'] ?? {};
  const [first] = Object.values(media.examples ?? {});
  return structuredClone(media.example ?? (first && resolve(first).value));
}

function parametersOf(operation: Operation, ids: Partial<Ids>, full: boolean): Pick<Call, 'path' | 'query'> {
  const path: Call['path'] = {};
  const query: Call['query'] = {};
  for (const parameter of operation.parameters) {
    const { name, in: place } = parameter;
    if (place === 'path') path[name] = idFor(operation, parameter, ids) ?? String(sampleOf(parameter.schema));
    if (place === 'query' && (parameter.required || full) && !isCursor(parameter)) {
      query[name] = idFor(operation, parameter, ids) ?? textOf(parameter);
    }
  }
  return { path, query };
}

function idFor(operation: Operation, { name, schema }: Parameter, ids: Partial<Ids>): string | undefined {
  const kinds = kindsOf(name, schema, operation.id);
  return kinds && ids[kinds[0] as Kind]?.[0];
}

/**
 * Makes the call as a new member of staff, whose second factor and password nothing else uses. Returns the tenant with
 * that session.
 */
async function asSomebodyNew(call: Call, world: World, tenant: Tenant): Promise<Tenant> {
  const { email } = await hire(world, tenant.site_id, tenant.canary);
  const { secret: StaffSession } = await openStaffSession(world, email);
  call.headers.Authorization = `Bearer ${StaffSession}`;
  return { ...tenant, secrets: { ...tenant.secrets, StaffSession } };
}

async function setUpTwoFactor(world: World, person: Tenant): Promise<{ totp_code: string }> {
  const { totp_secret } = (await callAs(world, person, 'dashboard.setUpTwoFactor')) as { totp_secret: string };
  return { totp_code: generateSync({ secret: totp_secret }) };
}

/** Cursors are not sent, because a valid one can only come from an earlier response. */
function isCursor({ name }: Parameter): boolean {
  return name === 'cursor';
}

function textOf({ schema }: Parameter): string | string[] {
  const sample = sampleOf(schema);
  return Array.isArray(sample) ? sample.map(String) : String(sample);
}

const UNIQUE_FIELDS = ['slug', 'handle', 'sku', 'code'];

/** Gives a new value to each field that must be unique in the shop. */
export function unique<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(unique) as T;
  const fields = Object.entries(value).map(([name, field]) => {
    const own = UNIQUE_FIELDS.includes(name) && typeof field === 'string';
    if (name === 'email' && typeof field === 'string') return [name, `${randomUUID().slice(0, 8)}-${field}`];
    return [name, own ? `${field}-${randomUUID().slice(0, 8)}` : unique(field)];
  });
  return Object.fromEntries(fields) as T;
}

/** Replaces ids in an example by ids of a tenant. */
function withIds(value: unknown, ids: Partial<Ids>, operation: Operation): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const fields = Object.entries(value).map(([name, field]) => {
    const kinds = kindsOf(name, {}, operation.id);
    const own = kinds ? (ids[kinds[0] as Kind] ?? []) : [];
    if (own.length === 0) return [name, withIds(field, ids, operation)];
    return [name, Array.isArray(field) ? field.map((_, index) => own[index % own.length]) : own[0]];
  });
  return Object.fromEntries(fields);
}
