import type { Payment, PaymentInstructions } from '@commerce-backend/spec';
import type { Language } from '../../language/language.ts';
import type { DueInstructions } from '../../shop/orders/shown.ts';
import { transferCode } from '../../shop/payments/transfer-code.ts';
import { type Html, html } from './html.ts';
import { qrCode } from './qr-code.ts';
import { copyScript } from './script.ts';
import { inGroups, moment, money, rich } from './words.ts';

/** Payment instructions, with the status of their payment. */
export interface TransferAsked extends Pick<Payment, 'status'> {
  instructions: PaymentInstructions | DueInstructions | null;
}

/**
 * Shows bank transfer details as a table, as a QR code and as text to copy. For an order on payment terms, omits the
 * sentence that the goods are reserved until the deadline.
 */
export function transfer(language: Language, { status, instructions }: TransferAsked): Html | undefined {
  if (!instructions) return undefined;
  const { account_holder, iban, bic, bank_name, reference, amount, currency, due_at } = instructions;
  const { say } = language;
  const text = asText(language, instructions);
  const code = transferCode(instructions);
  const strong = (value: Html | string) => html`<strong>${value}</strong>`;
  return html`
<section class="part transfer">
<h2>${rich(language, 'checkout.please_transfer', { amount: money(language, amount, currency) })}</h2>
${due_at && html`<p>${rich(language, status === 'pending' ? 'checkout.invoice_by' : 'checkout.transfer_by', { moment: strong(moment(language, due_at)) })}</p>`}
<dl class="bank">
${detail(say('checkout.amount'), language.amount(amount, currency), copyButton(language, say('checkout.amount'), language.digits(amount)))}
${detail(say('checkout.recipient'), account_holder)}
${detail(say('checkout.iban'), inGroups(iban), copyButton(language, say('checkout.iban'), iban))}
${bic && detail(say('checkout.bic'), bic)}
${bank_name && detail(say('checkout.bank'), bank_name)}
${detail(say('checkout.reference'), reference, copyButton(language, say('checkout.reference'), reference))}
</dl>
<p class="unseen" role="status"></p>
${
  code &&
  html`<figure class="scan">
${qrCode(code, say('checkout.scan_label'))}
<figcaption>${say('checkout.scan')}</figcaption>
</figure>`
}
<p>${rich(language, 'checkout.write_reference', { reference: strong(reference) })}</p>
${instructions.instructions && html`<p class="written" dir="auto">${instructions.instructions}</p>`}
<label for="copy">${say('checkout.as_text')}</label>
<textarea id="copy" class="copy" readonly rows="${text.split('\n').length + 2}">
${text}</textarea>
${copyScript}
</section>`;
}

function detail(term: string, value: string, button?: Html): Html {
  const control = button && html`<dd class="take">${button}</dd>`;
  return html`<div><dt>${term}</dt><dd class="copy" dir="auto">${value}</dd>${control}</div>`;
}

/** A button that copies a value in the format of banking forms. Hidden until the script has loaded. */
function copyButton({ say }: Language, what: string, value: string): Html {
  return html`<button type="button" class="take" data-copy="${value}" data-done="${say('checkout.copied')}" data-told="${say('checkout.copied_what', { what })}" aria-label="${say('checkout.copy_what', { what })}" hidden>${say('checkout.copy')}</button>`;
}

function asText(language: Language, instructions: PaymentInstructions | DueInstructions): string {
  const { account_holder, iban, bic, reference, amount, currency } = instructions;
  const lines = [
    account_holder,
    `IBAN ${iban}`,
    bic && `BIC ${bic}`,
    `${currency} ${language.digits(amount)}`,
    `${language.say('checkout.reference')} ${reference}`,
  ];
  return lines.filter(Boolean).join('\n');
}
