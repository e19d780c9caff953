import { ERRORS } from './errors.ts';
import { panelLanguage, t } from './texts.ts';
import { VALUES } from './values.ts';

/** Marks a sentence of the API for `npm run check:texts`. */
const known = (text: string): string => text;

/** Sentences of the API about orders, bank transfers and the setup of a shop. The first that matches applies. */
const SENTENCES = [
  known('Ordered on the storefront.'),
  known('Ordered with the help of an agent.'),
  known('Ordered with the AI widget.'),
  known('Ordered on the dashboard.'),
  known('Imported.'),
  known('Imported from another shop.'),
  known('There was nothing to pay.'),
  known('The card payment succeeded.'),
  known('The card payment was authorized.'),
  known('The {method} payment succeeded.'),
  known('The {method} payment was authorized.'),
  known('The bank transfer arrived.'),
  known('The order was paid.'),
  known('The order was marked as paid.'),
  known('{amount} {currency} arrived after the order had expired.'),
  known('{amount} {currency} arrived.'),
  known('{amount} {currency} was refunded.'),
  known('The recorded bank transfer was undone. The order is awaiting payment again.'),
  known('The bank transfer did not arrive in time.'),
  known('The late payment was accepted.'),
  known('The order was reinstated.'),
  known('The order is paid, and nothing of it ships.'),
  known('The customer was reminded of the {what}.'),
  known('Everything has been shipped.'),
  known('A part has been shipped.'),
  known('The tracking was changed.'),
  known('The order was delivered.'),
  known('The card payment failed.'),
  known('The authorization of the payment expired.'),
  known('The order was cancelled, because its payment failed.'),
  known('The order was paid on handover.'),
  known('The order was cancelled.'),
  known('The order was cancelled, because all of it was refunded before it shipped.'),
  known('The order was edited. {change} {currency}.'),
  known('Changed: {fields}.'),
  known('The goods were returned.'),
  known('An exchange of order {order_number}.'),
  known('The order now belongs to the account of its e-mail address.'),
  known('The mail "{mail}" was sent again.'),
  known('Invoice {number} was issued.'),
  known('Credit note {number} was issued.'),
  known('The provider could not capture {amount} {currency}: {reason}.'),
  known('A refund of {amount} {currency} was returned by the bank: {reason}.'),
  known('The provider could not refund {amount} {currency}: {reason}.'),
  known('Returned goods of {amount} {currency} pay the order.'),
  known('A statement of withdrawal was linked to the order.'),
  known('The return {number} was requested.'),
  known('The return {number} was approved.'),
  known('The return {number} was declined.'),
  known('The goods of the return {number} are on their way.'),
  known('The return {number} was cancelled.'),
  known('The return {number} was closed.'),
  known('The withdrawal was confirmed.'),
  known('The withdrawal was closed. Its pieces can ship again.'),
  known('A product is for sale.'),
  known('No published product is in stock. Add the stock that has arrived.'),
  known('No product is published. Set the status of a product to active and add its stock.'),
  known('The shop has a shipping option.'),
  known('No product for sale needs shipping.'),
  known('No shipping option is active, so nothing can be delivered. Add one with its price and countries.'),
  known('Shoppers can pay.'),
  known('Shoppers can pay only when they receive the goods.'),
  known("Shoppers have no way to pay. Add the shop's bank details or the key of its payment account."),
  known('A payment method accepts real money.'),
  known('No payment method accepts real money yet. Add bank details or the live key of the payment account.'),
  known('The tax settings are confirmed.'),
  known('No tax is charged, and this was not confirmed. Set the rate, even if it is 0.'),
  known('Shoppers see the contact details of the shop.'),
  known('Pages and mails show no contact details. Add an e-mail address or a phone number.'),
  known('Pages and mails link to the legal texts.'),
  known('Pages and mails do not link to all legal texts. Missing: {names}.'),
  known("Pages and mails link to the shop's own website."),
  known("Pages and mails do not link to the shop's own website, because its address is not set."),
  known('Consumers can withdraw from contracts on the hosted page.'),
  known('The page for withdrawals is off, but the EU requires one. Switch it on, or offer one on the website.'),
  known('Customers learn where to send returns.'),
  known('Customers can request returns, but no return address is set. Add it, or switch return requests off.'),
  known('This entry is already recorded.'),
  known('The text contains no number of an order or invoice.'),
  known('It matches more than one order.'),
  known('An earlier transfer already pays this order.'),
  known('It may have paid order {order_number}, which it names too.'),
  known('A payment of this amount is recorded for order {order_number} already. It may be this one.'),
  known('Order {order_number} is already paid.'),
  known('Order {order_number} is not awaiting a bank transfer.'),
  known('Order {order_number} has expired, and {recorded} {currency} are recorded for it.'),
  known('Order {order_number} has expired.'),
  known('The total of order {order_number} is {total} {currency}.'),
  known('{amount} {currency} are due for order {order_number}.'),
  known('The {fields} is now {value}. Check it and retry.'),
].map((text) => ({
  text,
  pattern: new RegExp(`^${text.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{(\w+)\}/g, '(?<$1>.+?)')}$`),
}));

/** A sentence of the API in the member's language, if it is known. */
export function sentence(message: string): string {
  for (const { text, pattern } of SENTENCES) {
    const found = pattern.exec(message);
    if (found) return t(text, inWords(found.groups ?? {}));
  }
  return message;
}

/** Groups with words of the API, separated by commas: names of fields, of a mail and of a payment method. */
const WORDS = ['fields', 'mail', 'what'];

function inWords(groups: Record<string, string>): Record<string, string> {
  if (panelLanguage() === 'en') return groups;
  const word = (text: string) => VALUES[text.replaceAll(' ', '_')] ?? text;
  const words = (text: string) => text.split(', ').map(word).join(', ');
  return Object.fromEntries(
    Object.entries(groups).map(([name, text]) => [name, WORDS.includes(name) ? words(text) : text]),
  );
}

/**
 * The reason why a row of a bulk call was rejected. In English it is the API's message, which often has more details.
 */
export function rejection({ reason, message }: { reason: string | null; message: string | null }): string {
  const known = panelLanguage() === 'en' ? undefined : ERRORS[reason ?? ''];
  return known ?? (message === null ? t('Rejected.') : sentence(message));
}
