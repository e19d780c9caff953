/**
 * Alternatives in the error response to an agent. They are read before the failed transaction is rolled back, so that
 * they are based on the same data as the error. Except after an unknown id, they contain only products that the agent
 * may buy: in its categories, and within the budget that the other cart lines leave.
 */

import type { AgentAlternative, AgentBudget, Product, Variant } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import { termsOf } from '../../search/words/normalize.ts';
import { budgetOf } from '../agent-limits/budgets.ts';
import { inCategories } from '../agent-limits/categories.ts';
import { readCart } from '../carts/rows.ts';
import { view } from '../carts/view.ts';
import { NotFound, ShopError } from '../errors.ts';
import { minorUnits } from '../money.ts';
import { productsByIds } from '../products/rows.ts';
import { choicesForCart } from '../shipping/choices.ts';
import type { Shop } from '../shop.ts';
import { findProposals } from './find.ts';
import { nearestTo, type RefusedCall } from './nearest.ts';
import { alternativeOf, type Proposal } from './products.ts';
import { optionContentOf } from './shop.ts';

const MOST = 3;

/** Adds alternatives to an agent's error, if there are any. */
export async function withAlternatives(shop: Shop, error: unknown, call: RefusedCall): Promise<unknown> {
  if (!(error instanceof ShopError) || !shop.agent) return error;
  const found = await alternativesTo(shop, error, call);
  if (found.length === 0) return error;
  const context = { ...error.context, alternatives: found };
  return new ShopError(error.code, error.message, context, error.afterwards);
}

async function alternativesTo(shop: Shop, error: ShopError, call: RefusedCall): Promise<AgentAlternative[]> {
  switch (error.code) {
    case 'insufficient_stock':
      return inStock(shop, error, call);
    case 'budget_exceeded':
      return withinBudget(shop, error, call);
    case 'category_not_allowed':
      return allowed(shop, call);
    case 'shipping_option_unavailable':
      return deliverable(shop, call);
    case 'not_found':
      return error instanceof NotFound ? nearestTo(shop, error.noun, call) : [];
    default:
      return [];
  }
}

interface ShortLine {
  line_item_id: string;
  variant_id: string;
  requested: number;
  available: number;
}

/** Suggests the quantity that is in stock and within the budget, and other variants of the product with more stock. */
async function inStock(shop: Shop, { context }: ShopError, call: RefusedCall): Promise<AgentAlternative[]> {
  const [line] = (context.lines ?? []) as ShortLine[];
  if (!line) return [];
  const { variant_id, requested, available } = line;
  const product = await productOfVariant(shop, variant_id);
  if (!product || !(await isAllowed(shop, product.id))) return [];
  const room = await roomBeside(shop, call, variant_id);
  const priceOf = ({ price }: Variant) => minorUnits(price, shop.currencyDigits);
  const wanted = product.variants.find(({ id }) => id === variant_id);
  const affordable = wanted && priceOf(wanted) > 0 ? Math.floor(room / priceOf(wanted)) : available;
  const quantity = Math.min(available, affordable);
  const why = quantity < available ? 'About this many are within the budget.' : 'This many are in stock.';
  // The rollback removes a line that the request has added, so alternatives name only a line that existed before.
  const named = call.path.line_item_id ? { line_item_id: call.path.line_item_id } : {};
  const fewer = quantity > 0 ? [{ why, ...named, variant_id, quantity }] : [];
  const others = product.variants.filter(
    (variant) =>
      variant.id !== variant_id &&
      variant.available &&
      priceOf(variant) <= room &&
      (!product.track_inventory ||
        variant.inventory_policy === 'continue' ||
        variant.inventory_quantity >= Math.min(requested, available + 1)),
  );
  const another = 'Another variant of the product is in stock.';
  return [...fewer, ...others.slice(0, MOST).map((variant) => alternativeOf(another, { product, variant }))];
}

/**
 * Returns the amount, in minor units, that the agent can still spend on a variant: its budget minus the other lines of
 * the cart.
 */
async function roomBeside(shop: Shop, { path, body }: RefusedCall, variant_id?: string): Promise<number> {
  if (!shop.agent) return 0;
  const room = roomIn(await budgetOf(shop, shop.agent.token_id));
  const cart_id = path.cart_id ?? body.cart_id;
  const cart = cart_id && (await readCart(shop, cart_id));
  const others = cart ? view(cart).items.filter((item) => item.variant_id !== variant_id) : [];
  return others.reduce((left, { total }) => left - minorUnits(total, shop.currencyDigits), room);
}

/**
 * Whether the product is in the agent's categories. The stock check runs before the check of categories, so
 * alternatives could otherwise reveal products of other categories.
 */
async function isAllowed(shop: Shop, product_id: string): Promise<boolean> {
  const found = await shop.one(
    sql`select from products p
      where p.site_id = ${shop.siteId} and p.id = ${product_id} and ${inCategories(shop.agent?.categories ?? [])}`,
  );
  return found !== undefined;
}

/** Suggests the quantity that the remaining budget covers, and similar, cheaper products. */
async function withinBudget(shop: Shop, { context }: ShopError, call: RefusedCall): Promise<AgentAlternative[]> {
  const room = roomIn(context.budget as AgentBudget);
  const required = Number(context.required_cents);
  const wanted = await wantedBy(shop, call);
  if (!wanted || room <= 0) return [];
  const { product, variant, quantity } = wanted;
  const price = minorUnits(variant.price, shop.currencyDigits);
  // Assumes that the other lines and the shipping cost do not change.
  const rest = Math.max(0, required - price * quantity);
  const fitting = price > 0 ? Math.min(quantity - 1, Math.floor((room - rest) / price)) : 0;
  const named = call.path.line_item_id ? { line_item_id: call.path.line_item_id } : {};
  const why = 'About this many are within the budget.';
  const fewer = fitting > 0 ? [{ why, ...named, variant_id: variant.id, quantity: fitting }] : [];
  const similar = await similarTo(shop, product.name, product.id);
  const cheaper = similar.filter((one) => minorUnits(one.variant.price, shop.currencyDigits) * quantity <= room - rest);
  return [
    ...fewer,
    ...cheaper.slice(0, MOST).map((one) => alternativeOf('It is similar, and within the budget.', one)),
  ];
}

/** Maximum cost of one order, within the remaining budget. */
function roomIn({ budget_remaining_cents, max_per_order_cents }: AgentBudget): number {
  return Math.min(budget_remaining_cents, max_per_order_cents ?? Number.POSITIVE_INFINITY);
}

/** Finds the variant that the request adds, or whose line it changes. */
async function wantedBy(shop: Shop, { path, body }: RefusedCall) {
  const variant_id = body.variant_id ?? (await variantOfLine(shop, path));
  if (!variant_id) return undefined;
  const product = await productOfVariant(shop, variant_id);
  const variant = product?.variants.find(({ id }) => id === variant_id);
  return product && variant && { product, variant, quantity: body.quantity ?? 1 };
}

async function variantOfLine(shop: Shop, { cart_id, line_item_id }: RefusedCall['path']) {
  if (!cart_id || !line_item_id) return undefined;
  const line = await shop.one<RowOf<'cart_items', 'variant_id'>>(
    sql`select variant_id from cart_items
      where site_id = ${shop.siteId} and cart_id = ${cart_id} and id = ${line_item_id}`,
  );
  return line?.variant_id;
}

/** Suggests similar products in the allowed categories and within the budget. */
async function allowed(shop: Shop, call: RefusedCall): Promise<AgentAlternative[]> {
  const { path, body } = call;
  const product_id = path.product_id ?? body.product_id;
  const [named] = product_id
    ? await productsByIds(shop, 'agent', [product_id])
    : [body.variant_id && (await productOfVariant(shop, body.variant_id))];
  if (!named) return [];
  const room = await roomBeside(shop, call, body.variant_id);
  const similar = await similarTo(shop, named.name, named.id);
  const payable = similar.filter(({ variant }) => minorUnits(variant.price, shop.currencyDigits) <= room);
  return payable.slice(0, MOST).map((one) => alternativeOf('It is similar, and in a category that is allowed.', one));
}

/**
 * Finds products in stock, in the agent's categories, with more than half of the words of `name` in their name or type.
 */
async function similarTo(
  shop: Shop,
  name: string,
  product_id: string,
): Promise<Pick<Proposal, 'product' | 'variant'>[]> {
  const wanted = new Set(termsOf(name));
  const { proposals } = await findProposals(shop, name.slice(0, 500), 10);
  return proposals.filter(({ product, variant }) => {
    const terms = new Set(termsOf(`${product.name} ${product.product_type ?? ''}`));
    const shared = [...wanted].filter((term) => terms.has(term)).length;
    return product.id !== product_id && variant.available && shared * 2 > wanted.size;
  });
}

async function deliverable(shop: Shop, { body }: RefusedCall): Promise<AgentAlternative[]> {
  const country = body.shipping_address?.country;
  if (!body.cart_id || !country) return [];
  const { shipping_options } = await choicesForCart(shop, body.cart_id, { ...body.shipping_address, country });
  return shipping_options.slice(0, MOST).map(({ id, price, ...text }) => {
    const { content_trust, name } = optionContentOf(text);
    return {
      why: 'It is offered for this address.',
      shipping_option_id: id,
      price,
      content: { content_trust, name, variant_name: null },
    };
  });
}

async function productOfVariant(shop: Shop, variant_id: string): Promise<Product | undefined> {
  const found = await shop.one<RowOf<'variants', 'product_id'>>(
    sql`select product_id from variants where site_id = ${shop.siteId} and id = ${variant_id}`,
  );
  const [product] = found ? await productsByIds(shop, 'agent', [found.product_id]) : [];
  return product;
}
