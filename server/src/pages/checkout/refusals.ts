import type { Checkout } from '@commerce-backend/spec';
import { statusOf } from '../../http/pipeline/errors.ts';
import { ShopError, ValidationError } from '../../shop/errors.ts';
import type { Shop } from '../../shop/shop.ts';
import { type Html, html } from '../parts/html.ts';
import type { PageAnswer } from '../parts/route.ts';
import { inWords } from '../parts/words.ts';
import { mistakesOfMissing } from './entry.ts';
import type { FieldName, Mistake } from './fields.ts';
import { type Refused, showOpen } from './show.ts';
import type { CheckoutVisit, Posted } from './visit.ts';

/**
 * A refusal of the shop as the page says it: at the field that it is about, or above everything. What concerns the whole
 * checkout (it is over, the cart is gone), and bugs, are thrown on.
 */
export async function answerRefusal(
  visit: CheckoutVisit,
  shop: Shop,
  posted: Posted,
  error: unknown,
): Promise<PageAnswer> {
  const { entered, hasFields, action } = posted;
  if (error instanceof ValidationError && action === 'place_order') {
    return showOpen(visit, shop, 'review', {
      status: 422,
      mistakes: [{ field: 'card_token', message: 'Choose a card.' }],
    });
  }
  if (!(error instanceof ShopError)) throw error;
  // Someone else, or a second click, was faster: the page says how it stands.
  if (error.code === 'checkout_not_open') return { redirect: visit.path };
  const told = explainRefusal(error, posted);
  if (!told) throw error;
  const wish = told.wish ?? (hasFields ? 'form' : 'review');
  return showOpen(visit, shop, wish, { status: statusOf(error.code), entered, ...told });
}

interface Told extends Refused {
  wish?: 'form' | 'review';
}

function explainRefusal(error: ShopError, { action }: Posted): Told | undefined {
  const { code, context } = error;
  if (code.startsWith('discount_')) return tellOfCode(error, action);
  switch (code) {
    case 'price_changed':
      return { wish: 'review', alert: (checkout) => priceAlert(checkout, String(context.expected_total)) };
    case 'insufficient_stock':
      return { alert: stockAlert };
    case 'payment_failed':
      return {
        wish: 'review',
        mistakes: [
          at('card_token', 'The card was declined, and nothing was charged. Try another one, or change how you pay.'),
        ],
      };
    case 'shipping_option_unavailable':
      return {
        wish: 'form',
        mistakes: [
          at('shipping_option_id', 'This delivery option is no longer available for your address. Choose another.'),
        ],
      };
    case 'payment_method_unavailable':
      return {
        wish: 'form',
        mistakes: [at('payment_method', 'This payment method is not available for this order. Choose another.')],
      };
    case 'checkout_incomplete':
      return { wish: 'form', mistakes: mistakesOfMissing(context.missing as string[]) };
    case 'budget_exceeded':
      return {
        alert: () =>
          alert(
            'This exceeds the assistant’s budget',
            'Its budget no longer covers the total. Nothing was ordered. Remove something, or buy it yourself in the shop.',
          ),
      };
    case 'category_not_allowed':
      return {
        alert: () =>
          alert(
            'The assistant may not buy all of this',
            'Something in the order is not one of the kinds of products that you allowed. Nothing was ordered.',
          ),
      };
    case 'conflict':
      return {
        alert: () =>
          alert('Your order has just changed', 'Please look at it again before you go on. Nothing was charged.'),
      };
    default:
      return undefined;
  }
}

function at(field: FieldName, message: string): Mistake {
  return { field, message };
}

const CODE_WORDS: Record<string, string> = {
  discount_not_found: 'There is no such code. Check the spelling.',
  discount_not_started: 'This code is not valid yet.',
  discount_expired: 'This code has expired.',
  discount_minimum_not_met: 'Your order is below the minimum for this code.',
  discount_usage_limit_reached: 'This code has reached its usage limit.',
  discount_customer_limit_reached: 'You have already used this code the maximum number of times.',
  discount_not_applicable: 'This code does not apply to any of these items.',
};

function tellOfCode({ code }: ShopError, action: string): Told {
  const words = CODE_WORDS[code] ?? 'This code cannot be used.';
  if (action === 'apply_discount') return { wish: 'form', mistakes: [at('discount_code', words)] };
  return {
    wish: 'form',
    alert: () => alert('The discount code cannot be used', `${words} Remove it to go on. Nothing was charged.`),
  };
}

function alert(heading: string, sentence: string): Html {
  return html`<div class="alert note" role="alert" tabindex="-1" autofocus><h2>${heading}</h2><p>${sentence}</p></div>`;
}

function priceAlert({ currency, total }: Checkout, expected: string): Html {
  const heading =
    total === expected
      ? 'The prices of some items have changed'
      : `The total has changed from ${inWords(expected, currency)} to ${inWords(total, currency)}`;
  return alert(
    heading,
    'Nothing was ordered. Please look at your order again: if you agree, place it at the new total.',
  );
}

function stockAlert({ items }: Checkout): Html {
  // The page itself says so of what it shows to be short.
  if (items.some(({ available }) => !available)) return html``;
  return alert('Someone else was faster', 'Some of the items were just taken by others. Please try again.');
}
