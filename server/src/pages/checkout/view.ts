import type { AgentToken, Checkout, CustomerAddress, ShippingChoice } from '@commerce-backend/spec';
import type { Language } from '../../language/language.ts';
import type { Front } from '../../shop/merchant/front.ts';
import { assistantNamed, budgetInWords, endInWords } from '../parts/agent-words.ts';
import { type Html, html } from '../parts/html.ts';
import type { Summary } from '../parts/order-summary.ts';
import { rich } from '../parts/words.ts';
import type { FieldName, FormState } from './fields.ts';

/** The data for the page of an open checkout. */
export interface CheckoutView {
  language: Language;
  front: Front;
  /** The storefront URL to which the shopper returns. */
  back: string | undefined;
  /** The server's origin. Images from it are shown in addition to images with https URLs. */
  ownOrigin: string;
  /** Path of the page, to which its forms are posted. */
  path: string;
  /** Form token, which proves that a form came from this page. */
  csrf: string;
  checkout: Checkout;
  /** Whether staff prepared the order. If so, its lines and prices are fixed, and discount codes do not apply. */
  isDraft: boolean;
  /** Path of the account page, if the customer of a draft is not logged in. Payment by invoice needs the login. */
  loginPath: string | undefined;
  /** Countries to which the shop delivers. */
  countries: readonly string[];
  /** Whether the shop has a shipping option that lets shoppers pay when they receive the goods. */
  paysOnReceipt: boolean;
  /** The checkout with the selected delivery and payment, for the summary. The selection may not be stored yet. */
  summed: Checkout;
  /** The address book of the logged-in customer. */
  saved: readonly CustomerAddress[];
  /** Country of `choices`; null if it is not known yet. */
  country: string | null;
  choices: readonly ShippingChoice[];
  /** Whether the customer has already agreed to receive marketing mails. */
  optedIn: boolean;
  /** Whether the page may show how many pieces are left (`show_stock` is `exact`). */
  showsExactStock: boolean;
  /** Whether card payments use the test provider's tokens. */
  testCard: boolean;
  form: FormState;
  /** Choices that the shopper has already posted, so that the page's script keeps them. */
  chosen: readonly FieldName[];
  /** An alert at the top of the page, for example that the total has changed. */
  alert?: Html | undefined;
  /** Fields of the checkout that have changed since the posted review. */
  changed: readonly string[];
  /** The agent that prepared the checkout, with its remaining budget. */
  agent: AgentToken | undefined;
}

const STEPS = ['details', 'review', 'done'] as const;

/** The steps of the checkout. The current one is marked. */
export function steps({ say }: Language, current: (typeof STEPS)[number]): Html {
  return html`
<ol class="steps" aria-label="${say('checkout.steps')}">
${STEPS.map((step) => html`<li${step === current && html` aria-current="step"`}>${say(`checkout.step_${step}`)}</li>`)}
</ol>`;
}

/**
 * Shows the agent that prepared the checkout, and its remaining budget. If the agent's token has expired or was
 * revoked, says so, and who revoked it if known.
 */
export function agentNote({ language, agent, checkout }: CheckoutView): Html | undefined {
  if (!agent) return undefined;
  const { say } = language;
  const ended = endInWords(language, agent);
  const left = budgetInWords(language, agent.budget_remaining_cents, agent.currency);
  const total = language.amount(checkout.total, checkout.currency);
  return html`
<div class="prepared"><p>${rich(language, 'checkout.prepared', { assistant: assistantNamed(language, agent.agent_name) })}</p>
${ended && html`<p><strong>${ended}</strong> ${say('checkout.prepared_ended')}</p>`}
<p class="hint">${say('checkout.prepared_budget', { left, total })}</p></div>`;
}

export function summaryOf({ language, checkout, isDraft, path, showsExactStock }: CheckoutView): Summary {
  const { items, warnings, shipping_option, shipping_cost, ...rest } = checkout;
  const lines = items.map((item) => ({
    ...item,
    warnings: warnings
      .filter(({ line_item_id }) => line_item_id === item.id)
      .map((warning) => ({
        sentence: sentenceOf(language, warning, { currency: checkout.currency, showsExactStock }),
        grave: GRAVE.includes(warning.code),
      })),
    remedy: item.available || isDraft ? undefined : removeButton(language, path, item),
  }));
  return { ...rest, language, lines, shipping_cost: shipping_option ? shipping_cost : null };
}

/** The button belongs to the page's form, so that other input is not lost. */
function removeButton({ say }: Language, path: string, { id, name }: Checkout['items'][number]): Html {
  return html`<p><button form="checkout" class="plain" name="action" value="remove_item" formaction="${path}?line=${id}" formnovalidate aria-label="${say('checkout.remove_item', { name })}">${say('checkout.remove')}</button></p>`;
}

const GRAVE: Checkout['warnings'][number]['code'][] = ['unavailable', 'out_of_stock'];

/** A short warning about an item, shown below the product's name. */
function sentenceOf(
  language: Language,
  warning: Checkout['warnings'][number],
  { currency, showsExactStock }: { currency: string; showsExactStock: boolean },
): string {
  const { say } = language;
  const { code, available, previous_price, price } = warning;
  const count = available ?? 0;
  switch (code) {
    case 'unavailable':
      return say('checkout.unavailable');
    case 'out_of_stock':
      if (count === 0) return say('checkout.out_of_stock');
      return showsExactStock ? say('checkout.only_left_less', { count }) : say('checkout.fewer_left');
    case 'low_stock':
      return showsExactStock ? say('checkout.only_left', { count }) : say('checkout.few_left');
    case 'price_changed':
      return say('checkout.line_price_changed', {
        before: language.amount(previous_price ?? '0', currency),
        now: language.amount(price ?? '0', currency),
      });
    default:
      return warning.message;
  }
}

/** Whether everything in the cart can be bought. */
export function isBuyable({ checkout }: CheckoutView): boolean {
  return checkout.items.length > 0 && checkout.items.every(({ available }) => available);
}
