import type { TaxLine } from '@commerce-backend/spec';
import type { Language } from '../../language/language.ts';
import type { ShownOrder } from '../../shop/orders/shown.ts';
import { type Html, html } from './html.ts';
import { money, rich } from './words.ts';

/** Items and totals of a checkout or order. */
export interface Summary {
  language: Language;
  currency: string;
  lines: readonly SummaryLine[];
  subtotal: string;
  discount: string;
  discount_code: string | null;
  /** Null while the cost is unknown. */
  shipping_cost: string | null;
  requires_shipping: boolean;
  tax: string;
  tax_included: boolean;
  /** Tax per rate, for an order whose rates are known. */
  tax_lines?: readonly TaxLine[];
  total: string;
}

export interface SummaryLine {
  name: string;
  variant_name: string | null;
  image_url: string | null;
  quantity: number;
  price: string;
  total: string;
  /** Warnings for the shopper. `grave` means that the item cannot be bought. */
  warnings: readonly { sentence: string; grave: boolean }[];
  /** A way for the shopper to resolve an item that cannot be bought. */
  remedy?: Html | undefined;
}

/** The data that the confirmation page and the order page share. */
type SummarizedOrder = Omit<Summary, 'language' | 'lines' | 'requires_shipping'> &
  Pick<ShownOrder, 'line_items' | 'shipping_method'>;

export function summaryOfOrder(language: Language, order: SummarizedOrder): Summary {
  const lines = order.line_items.map(({ name, variant_name = null, image_url = null, quantity, price, total }) => ({
    name,
    variant_name,
    image_url,
    quantity,
    price,
    total,
    warnings: [],
  }));
  return { ...order, language, lines, requires_shipping: Boolean(order.shipping_method) };
}

type Lines = Pick<Summary, 'language' | 'currency' | 'lines'>;

export function summaryLines(summary: Lines, ownOrigin: string): Html {
  return html`
<ul class="lines">
${summary.lines.map((line) => summaryLine(summary, line, ownOrigin))}
</ul>`;
}

function summaryLine({ language, currency }: Lines, line: SummaryLine, ownOrigin: string): Html {
  const source = imageSource(line.image_url, ownOrigin);
  return html`
<li class="line">
<div class="picture">${source && html`<img src="${source}" alt="" width="64" height="64" referrerpolicy="no-referrer">`}</div>
<div class="what">
<p class="name" dir="auto">${line.name}</p>
${line.variant_name && html`<p class="variant" dir="auto">${line.variant_name}</p>`}
<p class="quantity"><span class="pieces">${line.quantity}</span> × ${money(language, line.price, currency)}</p>
${line.warnings.map(({ sentence, grave }) => html`<p class="${grave ? 'warning' : 'remark'}">${sentence}</p>`)}
${line.remedy}
</div>
<p class="line-total">${money(language, line.total, currency)}</p>
</li>`;
}

export function summaryTotals(summary: Summary): Html {
  const { language, currency, discount, discount_code, shipping_cost, requires_shipping, tax, tax_included } = summary;
  const { say } = language;
  const amount = (value: string) => money(language, value, currency);
  return html`
<dl class="totals">
${row(say('checkout.subtotal'), amount(summary.subtotal))}
${
  Number(discount) > 0 &&
  row(
    html`${say('checkout.discount')}${discount_code && html` <span class="chip" dir="auto">${discount_code}</span>`}`,
    html`−${amount(discount)}`,
  )
}
${requires_shipping && row(say('checkout.delivery'), shipping_cost === null ? say('checkout.not_chosen') : cost(language, shipping_cost, currency))}
${!tax_included && taxRows(summary)}
<div class="total"><dt>${say('checkout.total')}</dt><dd class="sum">${amount(summary.total)}</dd></div>
</dl>
${tax_included && Number(tax) > 0 && taxContained(summary)}`;
}

function taxRows({ language, currency, tax, tax_lines = [] }: Summary): Html | Html[] {
  const { say } = language;
  if (tax_lines.length === 0) return row(say('checkout.tax'), money(language, tax, currency));
  return tax_lines.map((line) =>
    row(say('order.tax_at', { rate: language.percent(line.rate) }), money(language, line.tax, currency)),
  );
}

function taxContained({ language, currency, tax, tax_lines = [] }: Summary): Html | Html[] {
  const all = { amount: money(language, tax, currency) };
  if (tax_lines.length === 0) return html`<p class="contained">${rich(language, 'checkout.tax_contained', all)}</p>`;
  return tax_lines.map((line) => {
    const values = { amount: money(language, line.tax, currency), rate: language.percent(line.rate) };
    return html`<p class="contained">${rich(language, 'order.tax_contained_at', values)}</p>`;
  });
}

function row(term: Html | string, value: Html | string): Html {
  return html`<div><dt>${term}</dt><dd>${value}</dd></div>`;
}

export function cost(language: Language, amount: string, currency: string): Html {
  const free = html`<data value="${amount}">${language.say('checkout.free_of_charge')}</data>`;
  return Number(amount) === 0 ? free : money(language, amount, currency);
}

/** An image's URL: https, or a path if it is on this server. Undefined for other URLs. */
export function imageSource(url: string | null, ownOrigin: string): string | undefined {
  if (!url || !URL.canParse(url, ownOrigin)) return undefined;
  const { origin, protocol, pathname, search, href } = new URL(url, ownOrigin);
  if (origin === new URL(ownOrigin).origin) return pathname + search;
  return protocol === 'https:' ? href : undefined;
}
