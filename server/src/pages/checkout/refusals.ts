import type { Checkout } from '@commerce-backend/spec';
import { statusOf } from '../../http/pipeline/errors.ts';
import type { Language } from '../../language/language.ts';
import { ShopError, ValidationError } from '../../shop/errors.ts';
import type { Shop } from '../../shop/shop.ts';
import type { FormBody } from '../parts/form-body.ts';
import { type Html, html } from '../parts/html.ts';
import type { PageAnswer } from '../parts/route.ts';
import { codeInWords } from './codes.ts';
import { mistakesOfMissing } from './entry.ts';
import type { FieldName, Mistake } from './fields.ts';
import { partsInWords, type ReviewedPart } from './reviewed-parts.ts';
import { type Refused, showOpen } from './show.ts';
import type { CheckoutVisit, Posted } from './visit.ts';

/**
 * Shows an error of the shop at its field or at the top of the page. Errors of the whole checkout, such as its expiry,
 * and bugs are rethrown.
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
      mistakes: [{ field: 'card_token', message: visit.language.say('checkout.ask_card') }],
    });
  }
  if (!(error instanceof ShopError)) throw error;
  // The checkout has ended meanwhile, for example by a second click. The page shows its current state.
  const isOver =
    error.code === 'checkout_not_open' || (error.code === 'payment_in_progress' && error.context.payment_id);
  if (isOver) return { redirect: visit.path };
  const told = explainRefusal(visit, error, posted);
  if (!told) throw error;
  const wish = told.wish ?? (hasFields ? 'form' : 'review');
  return showOpen(visit, shop, wish, { status: statusOf(error.code), entered, ...told });
}

interface Told extends Refused {
  wish?: 'form' | 'review';
}

function explainRefusal({ language }: CheckoutVisit, error: ShopError, { action, body }: Posted): Told | undefined {
  const { say } = language;
  const { code, context } = error;
  if (code.startsWith('discount_')) return tellOfCode(language, error, action);
  switch (code) {
    case 'review_changed': {
      const changed = context.changed as ReviewedPart[];
      return { wish: 'review', changed, alert: (checkout) => reviewAlert(language, checkout, changed, body) };
    }
    case 'buyer_data_locked':
      return { wish: 'form' };
    case 'insufficient_stock':
      return { alert: (checkout) => stockAlert(language, checkout) };
    case 'payment_failed':
      return { wish: 'review', mistakes: [at('card_token', say('checkout.card_declined'))] };
    case 'payment_in_progress':
      return { alert: () => alert(say('payment.budget_in_use'), say('payment.budget_in_use_text')) };
    case 'shipping_option_unavailable':
      return { wish: 'form', mistakes: [at('shipping_option_id', say('checkout.delivery_unavailable'))] };
    case 'payment_method_unavailable':
      return { wish: 'form', mistakes: [at('payment_method', say('checkout.payment_unavailable'))] };
    case 'invoice_overdue':
    case 'credit_limit_exceeded':
      return { wish: 'form', mistakes: [at('payment_method', say(`checkout.${code}`))] };
    case 'checkout_incomplete':
      return { wish: 'form', mistakes: mistakesOfMissing(language, context.missing as string[]) };
    case 'budget_exceeded':
      return { alert: () => alert(say('checkout.budget_exceeded'), say('checkout.budget_exceeded_text')) };
    case 'category_not_allowed':
      return { alert: () => alert(say('checkout.category_not_allowed'), say('checkout.category_not_allowed_text')) };
    case 'conflict':
      return { alert: () => alert(say('checkout.changed'), say('checkout.changed_text')) };
    default:
      return undefined;
  }
}

function at(field: FieldName, message: string): Mistake {
  return { field, message };
}

function tellOfCode(language: Language, { code }: ShopError, action: string): Told {
  const { say } = language;
  const why = codeInWords(language, code);
  if (action === 'apply_discount') return { wish: 'form', mistakes: [at('discount_code', why)] };
  return {
    wish: 'form',
    alert: () => alert(say('checkout.code_refused'), say('checkout.code_refused_text', { why })),
  };
}

function alert(heading: string, sentence: string): Html {
  return html`<div class="alert note" role="alert" tabindex="-1" autofocus><h2>${heading}</h2><p>${sentence}</p></div>`;
}

/** Names the parts of the checkout that differ from the posted review. Their sections are marked too. */
function reviewAlert(language: Language, checkout: Checkout, changed: readonly ReviewedPart[], body: FormBody): Html {
  const { say } = language;
  if (changed.every((part) => part === 'items' || part === 'total')) {
    return priceAlert(language, checkout, body.get('expected_total') ?? checkout.total);
  }
  const parts = partsInWords(language, changed);
  return alert(say('checkout.review_changed'), say('checkout.review_changed_text', { parts }));
}

function priceAlert(language: Language, { currency, total, items, warnings }: Checkout, expected: string): Html {
  const { say } = language;
  const [before, now] = [language.amount(expected, currency), language.amount(total, currency)];
  const gone = warnings.find(({ code }) => code === 'unavailable');
  const name = gone && items.find(({ id }) => id === gone.line_item_id)?.name;
  if (name) return alert(say('checkout.withdrawn', { name }), say('checkout.price_text'));
  const heading = total === expected ? say('checkout.prices_changed') : say('checkout.total_changed', { before, now });
  return alert(heading, say('checkout.price_text'));
}

function stockAlert({ say }: Language, { items }: Checkout): Html {
  // Lines with too little stock show that themselves.
  if (items.some(({ available }) => !available)) return html``;
  return alert(say('checkout.taken'), say('checkout.taken_text'));
}
