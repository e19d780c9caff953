/** The shop's terms in words for language models, from its settings. They contain no text of the merchant. */

import type { AgentShop, PaymentChoice, ReturnPolicy } from '@commerce-backend/spec';
import type { ActiveOption } from '../shipping/choices.ts';

type Term = AgentShop['terms'][number];

export interface Terms {
  currency: string;
  options: ActiveOption[];
  payment_methods: PaymentChoice[];
  prices_include_tax: boolean;
  returns: ReturnPolicy;
  /** The page on which consumers withdraw from contracts; null if it is off. */
  withdrawal_form_url: string | null;
}

const MOST_OPTIONS = 20;
const MOST_COUNTRIES = 30;

export function termsInWords(terms: Terms): Term[] {
  const { options, currency } = terms;
  const delivery =
    options.length > 0
      ? options.slice(0, MOST_OPTIONS).map((option) => optionInWords(option, currency))
      : ['The shop does not deliver yet.'];
  return [
    ...delivery.map((text): Term => ({ topic: 'delivery', text })),
    { topic: 'payment', text: paymentInWords(terms) },
    { topic: 'returns', text: returnsInWords(terms.returns, currency) },
    { topic: 'withdrawal', text: withdrawalInWords(terms) },
  ];
}

function optionInWords(option: ActiveOption, currency: string): string {
  const { kind, price, estimated_days_min: fastest, estimated_days_max: slowest } = option;
  const limits = [
    ...between(option.minimum_subtotal ?? null, option.maximum_subtotal ?? null, currency, 'goods'),
    ...between(option.minimum_weight_grams, option.maximum_weight_grams, 'g', 'parcels'),
  ];
  const days = [...new Set([fastest, slowest].filter((day) => day !== null))].join(' to ');
  const where = kind === 'pickup' ? 'Pickup' : `Delivery to ${placesOf(option)}`;
  const first = [
    `${where} for ${price} ${currency}`,
    ...(days ? [`in ${days} ${days === '1' ? 'day' : 'days'}`] : []),
    ...limits,
  ].join(', ');
  const fee = option.cash_on_delivery_fee;
  return `${first}.${fee === null ? '' : ` Payment on delivery costs ${fee} ${currency} in addition.`}`;
}

function placesOf({ countries, states, postcode_prefixes }: ActiveOption): string {
  const more = countries.length - MOST_COUNTRIES;
  const named = countries.slice(0, MOST_COUNTRIES).join(', ') + (more > 0 ? ` and ${more} more countries` : '');
  const places = countries.length === 0 ? 'every country' : named;
  return states.length > 0 || postcode_prefixes.length > 0 ? `some places in ${places}` : places;
}

function between(from: string | number | null, to: string | number | null, unit: string, what: string): string[] {
  if (from !== null && to !== null) return [`only for ${what} from ${from} to ${to} ${unit}`];
  if (from !== null) return [`only for ${what} from ${from} ${unit}`];
  return to === null ? [] : [`only for ${what} up to ${to} ${unit}`];
}

const METHODS: Record<PaymentChoice, string> = {
  bank_transfer: 'bank transfer',
  card: 'card',
  manual: 'payment on delivery or pickup, where the option allows it',
  invoice: 'invoice',
};

function paymentInWords({ payment_methods, prices_include_tax }: Terms): string {
  const tax = prices_include_tax ? 'Prices include tax.' : 'Tax is added to the prices.';
  if (payment_methods.length === 0) return `${tax} The shop accepts no payment yet.`;
  return `${tax} The customer can pay by ${payment_methods.map((method) => METHODS[method]).join('; ')}.`;
}

function returnsInWords({ enabled, window_days, fee }: ReturnPolicy, currency: string): string {
  if (!enabled) return 'Customers cannot request returns themselves; they ask the shop.';
  const window = `Customers can request a return for ${window_days} ${window_days === 1 ? 'day' : 'days'} after delivery.`;
  const kept = Number(fee) > 0 ? `The shop keeps ${fee} ${currency} of the refund.` : 'The refund has no deduction.';
  return `${window} ${kept}`;
}

function withdrawalInWords({ withdrawal_form_url: url }: Terms): string {
  return url === null
    ? 'The shop has no form to withdraw from a contract; customers contact the shop.'
    : `Consumers can withdraw from a contract at ${url}, without a login.`;
}
