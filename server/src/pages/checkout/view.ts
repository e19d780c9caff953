import type { AgentToken, Checkout, ShippingChoice } from '@commerce-backend/spec';
import { assistantNamed, budgetInWords, endInWords } from '../parts/agent-words.ts';
import { type Html, html } from '../parts/html.ts';
import { inWords } from '../parts/words.ts';
import type { FormState } from './fields.ts';
import type { Summary } from './order-summary.ts';

/** All that the page of an open checkout shows. */
export interface CheckoutView {
  /** The name of the shop. */
  shop: string;
  /** Our own address, from which pictures may come. */
  ownOrigin: string;
  /** The path of the page, where its forms go. */
  path: string;
  /** What proves that a form came from this page. */
  csrf: string;
  checkout: Checkout;
  /** Where the shop delivers. */
  countries: readonly string[];
  /** The country that `choices` is for; null as long as none is known. */
  country: string | null;
  choices: readonly ShippingChoice[];
  /** Whether a card is paid with the test provider's tokens. */
  testCard: boolean;
  form: FormState;
  /** What has to be said before anything else, e.g. that the total has changed. */
  alert?: Html | undefined;
  /** The agent that prepared it, with what its budget leaves. */
  agent: AgentToken | undefined;
}

const STEPS = ['Your details', 'Review and pay', 'Done'] as const;

/** Where the reader is on the way. */
export function steps(current: (typeof STEPS)[number]): Html {
  return html`
<ol class="steps" aria-label="Steps of the checkout">
${STEPS.map((step) => html`<li${step === current && html` aria-current="step"`}>${step}</li>`)}
</ol>`;
}

/** Says that an agent prepared this, and within what; and when its access has ended since, that, and by whom. */
export function agentNote({ agent, checkout }: CheckoutView): Html | undefined {
  if (!agent) return undefined;
  const ended = endInWords(agent);
  const left = budgetInWords(agent.budget_remaining_cents, agent.currency);
  return html`
<div class="prepared"><p>${assistantNamed(agent.agent_name)} prepared this purchase for you. Look at everything: nothing is ordered until you do it yourself.</p>
${ended && html`<p><strong>${ended}</strong> You can still place this order, or leave it.</p>`}
<p class="hint">Its budget leaves ${left}; this order comes to ${inWords(checkout.total, checkout.currency)}.</p></div>`;
}

export function summaryOf({ checkout, path }: CheckoutView): Summary {
  const { items, warnings, shipping_option, shipping_cost, ...rest } = checkout;
  const lines = items.map((item) => ({
    ...item,
    warnings: warnings
      .filter(({ line_item_id }) => line_item_id === item.id)
      .map((warning) => ({ sentence: sentenceOf(warning, checkout.currency), grave: GRAVE.includes(warning.code) })),
    remedy: item.available ? undefined : removeButton(path, item),
  }));
  return { ...rest, lines, shipping_cost: shipping_option ? shipping_cost : null };
}

/** Belongs to the form of the page, so that what is entered already is kept. */
function removeButton(path: string, { id, name }: Checkout['items'][number]): Html {
  return html`<p><button form="checkout" class="plain" name="action" value="remove_item" formaction="${path}?line=${id}" formnovalidate>Remove<span class="unseen"> ${name}</span></button></p>`;
}

const GRAVE: Checkout['warnings'][number]['code'][] = ['unavailable', 'out_of_stock'];

/** Short, for it stands below the name of the product. */
function sentenceOf(warning: Checkout['warnings'][number], currency: string): string {
  const { code, available, previous_price, price } = warning;
  switch (code) {
    case 'unavailable':
      return 'No longer for sale.';
    case 'out_of_stock':
      return available ? `Only ${available} left: that is less than you want.` : 'Out of stock.';
    case 'low_stock':
      return `Only ${available} left.`;
    case 'price_changed':
      return `The price has changed from ${inWords(previous_price ?? '', currency)} to ${inWords(price ?? '', currency)}.`;
    default:
      return warning.message;
  }
}

/** Whether everything in it could be bought now. */
export function isBuyable({ checkout }: CheckoutView): boolean {
  return checkout.items.length > 0 && checkout.items.every(({ available }) => available);
}

export const PAYMENT_WORDS = {
  bank_transfer: {
    label: 'Bank transfer',
    detail: 'We show you the bank details after you have ordered. The goods are sent when the money has arrived.',
  },
  card: { label: 'Card', detail: 'You enter the card on the next step.' },
  manual: { label: 'Pay on delivery or collection', detail: 'You pay when the goods are handed over.' },
  free: { label: 'Nothing to pay', detail: 'The total is zero.' },
} as const;
