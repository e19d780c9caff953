/**
 * Builds the audit details of an agent's call from the request and the response. Only fields on this allow-list are
 * stored, so secrets and postal addresses are not. Fields are found by their names in the contract, so a new operation
 * needs no code here.
 */

import type { AuditDetails } from '@commerce-backend/spec';
import type { StoredDetails } from '../../shop/audit/details.ts';
import { CONTENT_TRUST, sanitizeMerchantText } from '../../shop/merchant-text.ts';
import { currencyDigits, decimal } from '../../shop/money.ts';
import { isUuid } from '../callers/claims.ts';
import type { Operation } from '../contract/contract.ts';
import type { Received } from '../received.ts';
import type { Answer } from './errors.ts';

type Fields = Record<string, unknown>;

const QUERIES = ['query', 'q', 'search', 'text'];
const MAX_QUERY = 300;
const MAX_NAME = 100;
const MAX_PRODUCTS = 5;
const MAX_IDS = 8;
/**
 * Maximum size of a response whose details are recorded. Larger responses are lists; for them only the request is
 * recorded.
 */
const MAX_ANSWER = 64 * 1024;
/** Results of `find` operations that return 200 but no single product. */
const INCONCLUSIVE = ['needs_choice', 'not_found'];

/** The details of a call. Only the result is recorded if the call had no active token. */
export function detailsFrom(
  operation: Operation | undefined,
  request: Received,
  answer: Pick<Answer, 'status' | 'body' | 'told'>,
  known = true,
): StoredDetails {
  const said = fieldsIn(answer.told ?? parsed(answer.body));
  if (!known) return { outcome: outcomeOf({}, answer.status, said) };
  const asked = { ...fieldsIn(request.query), ...fieldsIn(request.body) };
  const outcome = outcomeOf(asked, answer.status, said);
  const told = answer.status < 400 ? answered(said, asked) : { products: [], ...required(said) };
  return {
    outcome,
    query: queryIn(asked),
    code: operation?.name === 'applyDiscount' ? textIn(asked.code, MAX_NAME) : null,
    ...told,
    ids: { ...idsIn({ ...request.params, ...asked }), ...(answer.status < 400 && madeIn(said)) },
  };
}

/** The details of a call that an assistant makes for a staff member. */
export function detailsOfAssistant(name: string, answer: Pick<Answer, 'status' | 'body' | 'told'>): StoredDetails {
  const outcome =
    answer.status === 202
      ? 'requires_confirmation'
      : outcomeOf({}, answer.status, fieldsIn(answer.told ?? parsed(answer.body)));
  return { outcome, assistant: textIn(name, MAX_NAME) };
}

function outcomeOf(asked: Fields, status: number, said: Fields): string {
  if (status >= 400) return textIn(said.error, MAX_NAME) ?? String(status);
  if (typeof said.status === 'string' && INCONCLUSIVE.includes(said.status)) return said.status;
  return asked.dry_run === true ? 'dry_run' : 'done';
}

function answered(said: Fields, asked: Fields): Partial<StoredDetails> {
  const [cart, checkout] = [fieldsIn(said.cart), fieldsIn(said.checkout)];
  const totals = [said.totals, checkout.totals].map(fieldsIn);
  const amounts = [...totals.map(({ total }) => total), cart.total, said.total];
  const amount = amounts.find((value) => typeof value === 'string') ?? null;
  const currency = [said.currency, cart.currency, checkout.currency].find((value) => typeof value === 'string') ?? null;
  return {
    found: foundIn(said),
    products: productsIn(said, asked),
    ...(amount !== null && currency !== null && { amount: String(amount), currency: String(currency) }),
    order_number: textIn(said.order_number, MAX_NAME),
  };
}

/** The cost of a purchase that exceeded the budget. */
function required({ required_cents, budget }: Fields): Partial<StoredDetails> {
  const { currency } = fieldsIn(budget);
  if (!Number.isSafeInteger(required_cents) || typeof currency !== 'string') return {};
  return { amount: decimal(Number(required_cents), currencyDigits(currency)), currency };
}

function foundIn(said: Fields): number | null {
  if (typeof said.total === 'number') return said.total;
  return Array.isArray(said.candidates) ? said.candidates.length : null;
}

type ToldProduct = AuditDetails['products'][number];

/**
 * The product that the call chose, or the items in its response. Without a quantity in the request, the quantity is
 * taken from the agent's sentence.
 */
function productsIn(said: Fields, asked: Fields): ToldProduct[] {
  const lines = [said.items, fieldsIn(said.cart).items, fieldsIn(said.checkout).items].find(Array.isArray) ?? [];
  const chosen = asked.variant_id ?? fieldsIn(listIn(said.candidates)[0]).variant_id;
  const quantity = asked.quantity ?? quantityIn(said.understood);
  const line = listIn(lines).find((one) => chosen !== undefined && fieldsIn(one).variant_id === chosen);
  if (line) return told([{ ...fieldsIn(line), quantity: quantity ?? 1 }]);
  if (lines.length > 0) return told(listIn(lines));
  return nameOf(said) === null ? [] : told([{ ...said, quantity: null }]);
}

function quantityIn(understood: unknown): number | undefined {
  const stated = listIn(understood)
    .map(fieldsIn)
    .find(({ kind }) => kind === 'quantity');
  const value = Number(stated?.value ?? Number.NaN);
  return Number.isSafeInteger(value) ? value : undefined;
}

function told(products: unknown[]): ToldProduct[] {
  return products
    .slice(0, MAX_PRODUCTS)
    .map(fieldsIn)
    .flatMap((product) => {
      const name = nameOf(product);
      const { product_id, id, quantity } = product;
      if (name === null) return [];
      return [
        {
          id: isUuid(product_id) ? product_id : isUuid(id) ? id : null,
          quantity: Number.isSafeInteger(quantity) ? Number(quantity) : null,
          content: { content_trust: CONTENT_TRUST, name },
        },
      ];
    });
}

/**
 * The name of a product or line item. Objects without a price, such as shops and customers, have a name too, but it is
 * not recorded.
 */
function nameOf(product: Fields): string | null {
  if (!('price' in product)) return null;
  const name = fieldsIn(product.content).name ?? product.name;
  return typeof name === 'string' ? sanitizeMerchantText(name, MAX_NAME) : null;
}

function idsIn(fields: Fields): Record<string, string> {
  const ids = Object.entries(fields).filter(([name, value]) => name.endsWith('_id') && isUuid(value));
  return Object.fromEntries(ids.slice(0, MAX_IDS)) as Record<string, string>;
}

/** Ids of the cart, checkout and order in the response. */
function madeIn({ cart, checkout, order_id, cart_id }: Fields): Record<string, string> {
  return idsIn({ cart_id: fieldsIn(cart).id ?? cart_id, checkout_id: fieldsIn(checkout).id, order_id });
}

/** Matches credentials, e-mail addresses and long numbers (such as card numbers) in an agent's sentence. */
const PRIVATE = /\b[a-z]{3}_\w{20,}|[^\s@]+@[^\s@]+|\d(?:[ -]?\d){10,}/gi;

function queryIn(asked: Fields): string | null {
  const given = QUERIES.map((name) => asked[name]).find((value) => typeof value === 'string');
  return textIn(given, MAX_QUERY);
}

function textIn(value: unknown, cap: number): string | null {
  if (typeof value !== 'string') return null;
  const text = value
    .slice(0, cap * 2)
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ');
  return text.replaceAll(PRIVATE, '…').trim().slice(0, cap).toWellFormed() || null;
}

function fieldsIn(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

function listIn(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function parsed(body: Answer['body']): unknown {
  if (body === undefined || body.length > MAX_ANSWER) return undefined;
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
