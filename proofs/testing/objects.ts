/**
 * The kinds of ids, and how to create their objects. If the contract gets an unknown id, the proofs fail with a message
 * that explains the addition to make here: a line in `KINDS_OF`, and a maker for a new kind of object.
 */

import { randomUUID } from 'node:crypto';
import { document, type Operation, resolve } from '../../server/src/http/contract/contract.ts';
import { hashToken } from '../../server/src/shop/tokens.ts';
import { makeAgentCart, makeAgentCheckout, makeAgentOrder, makeAgentToken, makeUserCode } from './agents.ts';
import { makeAssistant, makeAssistantAction } from './assistants.ts';
import { makeCustomer } from './customers.ts';
import {
  makeCart,
  makeCheckout,
  makeDiscount,
  makeDocument,
  makeDraftOrder,
  makeOrder,
  makeReturn,
  makeShippedOrder,
  makeShippingOption,
  makeStatementRun,
  makeSyncOrder,
  makeWithdrawal,
} from './sales.ts';
import { makeInvitation, makeMember, makeStaffSession } from './staff.ts';
import { makeListener, makeWebhook } from './subscriptions.ts';
import { callAs, type Ids, type Kind, type Tenant, type World } from './tenant.ts';

/** The kinds of object that a parameter or field of this name may identify, in all operations or in one. */
const KINDS_OF: Record<string, Kind[]> = {
  'X-Service-Merchant-Id': ['merchant'],
  product_id: ['product'],
  cheaper_than: ['product'],
  product_ids: ['product'],
  id_or_slug: ['product', 'slug'],
  option_id: ['option'],
  image_id: ['image'],
  file_id: ['file'],
  variant_id: ['variant'],
  variant_ids: ['variant'],
  'dashboard.replaceProduct id': ['option', 'variant', 'image'],
  collection_id: ['collection'],
  id_or_handle: ['collection', 'handle'],
  collection: ['handle'],
  staff_id: ['staff_member'],
  session_id: ['staff_session'],
  invitation_id: ['invitation'],
  assistant_id: ['assistant'],
  action_id: ['assistant_action'],
  api_key_id: ['api_key'],
  storefront_token_id: ['storefront_token'],
  sync_key_id: ['sync_key'],
  collection_ids: ['collection'],
  discount_id: ['discount'],
  'storefront.applyDiscount code': ['discount_code'],
  shipping_option_id: ['shipping_option'],
  customer_id: ['customer'],
  address_id: ['address'],
  cart_id: ['cart'],
  'storefront.updateCartItem line_item_id': ['cart_line'],
  'storefront.removeCartItem line_item_id': ['cart_line'],
  checkout_id: ['checkout'],
  order_id: ['order'],
  'dashboard.createFulfillment line_item_id': ['order_line'],
  'dashboard.updateFulfillment order_id': ['shipped_order'],
  fulfillment_id: ['fulfillment'],
  'dashboard.createRefund line_item_id': ['order_line'],
  'dashboard.suggestRefund line_item_id': ['order_line'],
  'dashboard.editOrder line_item_id': ['order_line'],
  'dashboard.createReturn order_id': ['shipped_order'],
  'dashboard.createReturn line_item_id': ['shipped_line'],
  'storefront.requestReturn order_id': ['shipped_order'],
  'storefront.requestReturn line_item_id': ['shipped_line'],
  return_id: ['return'],
  draft_order_id: ['draft_order'],
  withdrawal_id: ['withdrawal'],
  document_id: ['document'],
  'dashboard.confirmWithdrawal line_item_id': ['withdrawn_line'],
  'dashboard.receiveReturn id': ['return_line'],
  agent_token_id: ['agent_token'],
  'dashboard.listAuditEvents actor_id': ['agent_token'],
  user_code: ['user_code'],
  'agent.getCart cart_id': ['agent_cart'],
  'agent.findAndAdd cart_id': ['agent_cart'],
  'agent.findAndBuy cart_id': ['agent_cart'],
  'agent.addCartItem cart_id': ['agent_cart'],
  'agent.updateCartItem cart_id': ['agent_cart'],
  'agent.removeCartItem cart_id': ['agent_cart'],
  'agent.applyDiscount cart_id': ['agent_cart'],
  'agent.removeDiscount cart_id': ['agent_cart'],
  'agent.listCartShippingOptions cart_id': ['agent_cart'],
  'agent.createCheckout cart_id': ['agent_cart'],
  'agent.updateCartItem line_item_id': ['agent_cart_line'],
  'agent.removeCartItem line_item_id': ['agent_cart_line'],
  'agent.applyDiscount code': ['discount_code'],
  'agent.getCheckout checkout_id': ['agent_checkout'],
  'agent.cancelCheckout checkout_id': ['agent_checkout'],
  'agent.getOrder order_id': ['agent_order'],
  'agent.prepareReturn order_id': ['shipped_order'],
  'agent.prepareReturn line_item_id': ['shipped_line'],
  sync_order_id: ['sync_order'],
  add_to_collection: ['collection'],
  remove_from_collection: ['collection'],
  'dashboard.undoStatementRun statement_run_id': ['statement_run'],
  webhook_id: ['webhook'],
  delivery_id: ['delivery'],
  listener_id: ['listener'],
};

/** UUIDs that identify no object, or only the shop, which anyone may name. */
const NO_IDS = ['Idempotency-Key', 'X-Site-ID', 'site_id', 'dashboard.markOrdersPaid statement_run_id'];

/**
 * Returns the kinds of objects that a parameter or field identifies; undefined if it is not an id. Throws for an
 * unknown id.
 */
export function kindsOf(name: string, schema: Record<string, unknown>, where: string): Kind[] | undefined {
  const known = KINDS_OF[`${where} ${name}`] ?? KINDS_OF[name];
  if (known) return known;
  const looksLikeId = schema.format === 'uuid' && !NO_IDS.includes(name) && !NO_IDS.includes(`${where} ${name}`);
  if (!looksLikeId) return undefined;
  throw new Error(`${where} takes an id as ${name}, which is not in KINDS_OF of proofs/testing/objects.ts.`);
}

/**
 * Returns the kinds of objects that an operation identifies in its path, query, headers or body. Includes the customer
 * if only customers may call the operation.
 */
export function kindsIn(operation: Operation): Set<Kind> {
  const kinds = new Set<Kind>(isForCustomers(operation) ? ['customer'] : []);
  const note = (name: string, schema: Record<string, unknown>, mustBeId: boolean) => {
    const found = kindsOf(name, schema, operation.id);
    if (mustBeId && !found)
      throw new Error(`${operation.id}: ${name} is not in KINDS_OF of proofs/testing/objects.ts.`);
    for (const kind of found ?? []) kinds.add(kind);
  };
  for (const { name, in: place, schema } of operation.parameters) note(name, schema, place === 'path');
  const visit = (name: string, node: Record<string, unknown>): void => {
    const schema = resolve(node);
    note(name, schema, false);
    for (const part of (schema.allOf ?? []) as Record<string, unknown>[]) visit(name, part);
    if (schema.items) visit(name, schema.items as Record<string, unknown>);
    for (const [key, child] of Object.entries((schema.properties ?? {}) as Record<string, Record<string, unknown>>)) {
      visit(key, child);
    }
  };
  visit('', bodySchemaOf(operation) ?? {});
  return kinds;
}

/** Whether an operation can only be called by customers. */
export function isForCustomers({ security }: Operation): boolean {
  return security.length > 0 && security.every((schemes) => schemes.includes('CustomerToken'));
}

export function bodySchemaOf(operation: Operation): Record<string, unknown> | undefined {
  const declared = document.paths[operation.path]?.[operation.method] as Record<string, unknown>;
  if (!declared.requestBody) return undefined;
  const { content } = resolve(declared.requestBody as Record<string, unknown>) as {
    content: Record<string, { schema: Record<string, unknown> }>;
  };
  return content['application/json']?.schema;
}

export interface Maker {
  makes: Kind[];
  /** Creates one object with its parts. Returns the ids of all of them. */
  make(world: World, tenant: Tenant, variants?: number): Promise<Partial<Ids>>;
}

/** The functions that create an object of each kind. */
export const MAKERS = {
  product: { makes: ['product', 'slug', 'option', 'image', 'variant'], make: makeProduct },
  collection: {
    makes: ['collection', 'handle'],
    make: (world: World, tenant: Tenant) => makeCollection(world, tenant, tenant.ids.product.slice(0, 2)),
  },
  file: { makes: ['file'], make: announceFile },
  staff_member: { makes: ['staff_member'], make: makeMember },
  staff_session: { makes: ['staff_session'], make: makeStaffSession },
  invitation: { makes: ['invitation'], make: makeInvitation },
  assistant: { makes: ['assistant'], make: makeAssistant },
  assistant_action: { makes: ['assistant_action'], make: makeAssistantAction },
  api_key: { makes: ['api_key'], make: (world: World, tenant: Tenant) => makeToken(world, tenant, 'api_key') },
  storefront_token: {
    makes: ['storefront_token'],
    make: (world: World, tenant: Tenant) => makeToken(world, tenant, 'storefront'),
  },
  sync_key: { makes: ['sync_key'], make: makeSyncKey },
  customer: { makes: ['customer', 'customer_token', 'address'], make: makeCustomer },
  discount: { makes: ['discount', 'discount_code'], make: makeDiscount },
  shipping_option: { makes: ['shipping_option'], make: makeShippingOption },
  cart: { makes: ['cart', 'cart_line'], make: makeCart },
  checkout: { makes: ['checkout'], make: makeCheckout },
  order: { makes: ['order', 'order_line'], make: makeOrder },
  shipped_order: { makes: ['shipped_order', 'shipped_line', 'fulfillment'], make: makeShippedOrder },
  return: { makes: ['return', 'return_line'], make: makeReturn },
  draft_order: { makes: ['draft_order'], make: makeDraftOrder },
  withdrawal: { makes: ['withdrawal', 'withdrawn_line'], make: makeWithdrawal },
  document: { makes: ['document'], make: makeDocument },
  agent_token: { makes: ['agent_token'], make: makeAgentToken },
  user_code: { makes: ['user_code'], make: makeUserCode },
  agent_cart: { makes: ['agent_cart', 'agent_cart_line'], make: makeAgentCart },
  agent_checkout: { makes: ['agent_checkout'], make: makeAgentCheckout },
  agent_order: { makes: ['agent_order'], make: makeAgentOrder },
  sync_order: {
    makes: ['sync_order'],
    async make(world: World, tenant: Tenant) {
      await reviveSyncKey(world, tenant);
      return makeSyncOrder(world, tenant);
    },
  },
  statement_run: {
    makes: ['statement_run'],
    async make(world: World, tenant: Tenant) {
      await reviveSyncKey(world, tenant);
      return makeStatementRun(world, tenant);
    },
  },
  webhook: { makes: ['webhook', 'delivery'], make: makeWebhook },
  listener: { makes: ['listener'], make: makeListener },
} satisfies Record<string, Maker>;

/** Creates many objects and stores their ids with the tenant. */
export async function makeAll(
  world: World,
  tenant: Tenant,
  counts: Partial<Record<keyof typeof MAKERS, number>>,
): Promise<void> {
  for (const [name, count] of Object.entries(counts)) {
    for (let made = 0; made < count; made += 1) {
      const ids = await MAKERS[name as keyof typeof MAKERS].make(world, tenant);
      for (const [kind, added] of Object.entries(ids)) tenant.ids[kind as Kind].push(...added);
    }
  }
}

/**
 * Creates objects of each kind that an operation identifies, for one call. For a collection, creates three products, of
 * which the first two are in it.
 */
export async function freshIds(world: World, tenant: Tenant, operation: Operation): Promise<Partial<Ids>> {
  const wanted = kindsIn(operation);
  const ids: Partial<Ids> = { merchant: [tenant.merchant_id] };
  const takes = (maker: Maker) => maker.makes.some((kind) => wanted.has(kind));
  const counts = { product: wanted.has('collection') ? 3 : 1 } as Record<string, number>;
  for (const [name, maker] of Object.entries(MAKERS as Record<string, Maker>)) {
    if (!takes(maker)) continue;
    if (name === 'collection') {
      Object.assign(ids, await makeCollection(world, tenant, ids.product?.slice(0, 2)));
      continue;
    }
    for (let made = 0; made < (counts[name] ?? 1); made += 1) {
      const part = await maker.make(world, tenant, 2);
      for (const [kind, added] of Object.entries(part)) ids[kind as Kind] = [...(ids[kind as Kind] ?? []), ...added];
    }
  }
  return ids;
}

/**
 * Matches the examples in the contract: an option Colour with variants for the values Slate and Oat, and none for Moss.
 */
async function makeProduct(world: World, tenant: Tenant, variants = 4): Promise<Partial<Ids>> {
  const { canary } = tenant;
  const unique = randomUUID().slice(0, 8);
  const variant = (sku: string, option1: string, inventory_quantity: number) => ({
    sku: `${canary}-${unique}-${sku}`,
    barcode: `${canary}-${unique}`,
    option1,
    inventory_quantity,
    image_url: `https://img.example/${canary}.png`,
  });
  const made = (await callAs(world, tenant, 'dashboard.createProduct', {
    name: `${canary} mug ${unique}`,
    slug: `${canary}-${unique}`,
    description: `${canary} described`,
    vendor: `${canary} vendor`,
    product_type: `${canary} type`,
    tags: [`${canary} tag`, 'sale'],
    status: 'active',
    price: '14.00',
    metadata: { material: `${canary} stone` },
    options: [{ name: 'Colour', values: ['Slate', 'Oat', 'Moss', `${canary} hue`, `${canary} tint`] }],
    images: [1, 2].map((n) => ({ url: `https://img.example/${canary}-${n}.png`, alt: `${canary} ${n}` })),
    variants: [
      variant('slate', 'Slate', 40),
      variant('oat', 'Oat', 3),
      variant('hue', `${canary} hue`, 1),
      variant('tint', `${canary} tint`, 0),
    ].slice(0, variants),
  })) as Record<'id' | 'slug', string> & Record<'options' | 'images' | 'variants', { id: string }[]>;
  return {
    product: [made.id],
    slug: [made.slug],
    option: made.options.map(({ id }) => id),
    image: made.images.map(({ id }) => id),
    variant: made.variants.map(({ id }) => id),
  };
}

/** Creates a file whose content is never uploaded. */
async function announceFile(world: World, tenant: Tenant): Promise<Partial<Ids>> {
  const made = (await callAs(world, tenant, 'dashboard.createFile', {
    filename: `${tenant.canary}.jpg`,
    content_type: 'image/jpeg',
    bytes: 1000,
    sha256: '0'.repeat(64),
  })) as { id: string };
  return { file: [made.id] };
}

async function makeCollection(world: World, tenant: Tenant, product_ids: string[] = []): Promise<Partial<Ids>> {
  const { canary } = tenant;
  const made = (await callAs(world, tenant, 'dashboard.createCollection', {
    title: `${canary} collection`,
    description: `${canary} collected`,
    handle: `${canary}-${randomUUID().slice(0, 8)}`,
    image_url: `https://img.example/${canary}.png`,
    product_ids,
  })) as { id: string; handle: string };
  return { collection: [made.id], handle: [made.handle] };
}

const MAKES = { api_key: 'dashboard.createApiKey', storefront: 'dashboard.createStorefrontToken' } as const;
/**
 * Revokes keys of a kind, so that another can be created or rotated: the contract allows 100 active keys, but only two
 * active sync keys. The tenant's own API keys and storefront tokens are kept. All sync keys are revoked.
 */
export async function makeRoom(world: World, tenant: Tenant, kind: 'api_key' | 'storefront' | 'sync'): Promise<void> {
  const kept = kind === 'sync' ? [] : [tenant.secrets.ApiKey, tenant.secrets.StorefrontToken, tenant.readOnlyKey];
  const ids = [...tenant.ids.api_key, ...tenant.ids.storefront_token];
  await world.owner.query(
    `update commerce.tokens set revoked_at = now() where site_id = $1 and kind = $2 and revoked_at is null
       and not token_hash = any($3) and not id = any($4)`,
    [tenant.site_id, kind, kept.map(hashToken), kind === 'sync' ? [] : ids],
  );
}

async function makeToken(world: World, tenant: Tenant, kind: keyof typeof MAKES): Promise<Partial<Ids>> {
  await makeRoom(world, tenant, kind);
  const scopes = kind === 'api_key' ? { scopes: ['read', 'write'] } : {};
  const body = { description: `${tenant.canary} spare`, ...scopes };
  const { id } = (await callAs(world, tenant, MAKES[kind], body)) as { id: string };
  return kind === 'api_key' ? { api_key: [id] } : { storefront_token: [id] };
}

async function makeSyncKey(world: World, tenant: Tenant): Promise<Partial<Ids>> {
  await makeRoom(world, tenant, 'sync');
  const body = { description: `${tenant.canary} spare` };
  const made = (await callAs(world, tenant, 'dashboard.createSyncKey', body)) as { id: string };
  return { sync_key: [made.id] };
}

/**
 * Restores the tenant's own sync key, which attacks on other keys revoke. Revokes all others, because only two may be
 * active.
 */
export async function reviveSyncKey({ owner }: World, { site_id, secrets }: Tenant): Promise<void> {
  await owner.query(
    `update commerce.tokens set revoked_at = case when token_hash = $2 then null else now() end
     where site_id = $1 and kind = 'sync' and (token_hash = $2) = (revoked_at is not null)`,
    [site_id, hashToken(secrets.SyncSecret)],
  );
}
