import type { Order, Payment, PaymentInstructions } from '@commerce-backend/spec';
import { transferCode } from '../../shop/payments/transfer-code.ts';
import { page } from '../parts/document.ts';
import { type Html, html } from '../parts/html.ts';
import { qrCode } from '../parts/qr-code.ts';
import { inGroups, inWords, moment, money } from '../parts/words.ts';
import { type Summary, summaryLines, summaryTotals } from './order-summary.ts';
import { addressLines } from './review.ts';
import { steps } from './view.ts';

/** What became of a checkout. */
export interface ConfirmationView {
  shop: string;
  ownOrigin: string;
  order: Order;
  payment: Payment;
  /** Of the shop: whether the tax is a part of the amounts. */
  tax_included: boolean;
  discount_code: string | null;
}

/** The last step: the order's number, how to pay it, and what happens next. */
export function confirmation(view: ConfirmationView): string {
  const { order, payment, shop, ownOrigin } = view;
  const shown = summaryOf(view);
  const main = html`
${steps('Done')}
<h1>${heading(view)}</h1>
<p class="number">Order number <strong>${order.order_number}</strong></p>
<div class="columns">
<div class="entry">
${payment.instructions && transfer(payment.instructions)}
<section class="part">
<h2>What happens next</h2>
${nextSteps(view)}
</section>
${order.shipping_address && html`<section class="part"><h2>Delivery address</h2>${addressLines(order.shipping_address)}</section>`}
</div>
<aside class="summary" id="summary" aria-labelledby="summary-heading">
<h2 id="summary-heading">Your order</h2>
${summaryLines(shown, ownOrigin)}
${summaryTotals(shown)}
</aside>
</div>`;
  return page({ title: heading(view), shop, where: 'Checkout', main });
}

function heading({ order, payment }: ConfirmationView): string {
  if (order.status === 'cancelled') return 'This order has been cancelled';
  return payment.status === 'failed' ? 'The payment did not go through' : 'Thank you for your order';
}

function transfer(instructions: PaymentInstructions): Html {
  const { account_holder, iban, bic, bank_name, reference, amount, currency, due_at } = instructions;
  const text = asText(instructions);
  const code = transferCode(instructions);
  return html`
<section class="part transfer">
<h2>Please transfer ${money(amount, currency)}</h2>
<p>Transfer the whole amount by <strong>${moment(due_at)}</strong>. Until then we keep the goods for you.</p>
<dl class="bank">
${detail('Amount', inWords(amount, currency))}
${detail('Recipient', account_holder)}
${detail('IBAN', inGroups(iban))}
${bic && detail('BIC', bic)}
${bank_name && detail('Bank', bank_name)}
${detail('Reference', reference)}
</dl>
${
  code &&
  html`<figure class="scan">
${qrCode(code, 'QR code of this transfer, for banking apps')}
<figcaption>Scan it with your banking app: it fills in the whole transfer.</figcaption>
</figure>`
}
<p>Write the reference <strong>${reference}</strong> on the transfer, so that we know it is yours.</p>
${instructions.instructions && html`<p class="written" dir="auto">${instructions.instructions}</p>`}
<label for="copy">As text, to copy</label>
<textarea id="copy" class="copy" readonly rows="${text.split('\n').length + 2}">
${text}</textarea>
</section>`;
}

function detail(term: string, value: string): Html {
  return html`<div><dt>${term}</dt><dd class="copy" dir="auto">${value}</dd></div>`;
}

function asText({ account_holder, iban, bic, reference, amount, currency }: PaymentInstructions): string {
  const lines = [
    account_holder,
    `IBAN ${iban}`,
    bic && `BIC ${bic}`,
    `${currency} ${amount}`,
    `Reference ${reference}`,
  ];
  return lines.filter(Boolean).join('\n');
}

function nextSteps({ order, payment, shop }: ConfirmationView): Html {
  const mail = order.email && html`<li>We send the confirmation to <strong dir="auto">${order.email}</strong>.</li>`;
  return html`
<ol class="next">
${order.status !== 'cancelled' && mail}
${paymentSteps(order, payment).map((sentence) => html`<li>${sentence}</li>`)}
${order.status !== 'cancelled' && payment.status !== 'failed' && html`<li>If you have a question, write to ${shop} and name the order number.</li>`}
</ol>`;
}

function paymentSteps({ status }: Order, payment: Payment): string[] {
  if (status === 'cancelled') return ['Nothing will be sent, and there is nothing more to pay.'];
  switch (payment.status) {
    case 'awaiting_payment':
      return ['You transfer the amount to the account named here.', 'When the money has arrived, we send the goods.'];
    case 'failed':
      return [
        'The card provider declined the payment, and nothing was charged.',
        'You can order again at the shop, with another payment method if you like.',
      ];
    case 'paid':
    case 'authorized':
      return [
        Number(payment.amount) > 0 ? 'Your payment has arrived.' : 'There is nothing to pay.',
        'We are preparing your order.',
      ];
    default:
      return payment.method === 'card'
        ? ['Your bank has not confirmed the payment yet. We will write to you as soon as it does.']
        : ['You pay when the goods are handed over.', 'We are preparing your order.'];
  }
}

function summaryOf({ order, tax_included, discount_code }: ConfirmationView): Summary {
  const lines = order.line_items.map(({ name, variant_name = null, image_url = null, quantity, price, total }) => ({
    name,
    variant_name,
    image_url,
    quantity,
    price,
    total,
    warnings: [],
  }));
  const requires_shipping = Boolean(order.shipping_method);
  return { ...order, lines, requires_shipping, tax_included, discount_code };
}
