import type { WebhookEventPattern, WebhookEventType } from '@commerce-backend/sdk';
import { InvalidArgumentError } from 'commander';

/** Every type of event, and when it is sent. */
const MEANINGS = {
  'product.created': 'a product was made',
  'product.updated': 'a product changed, or its variants, options, images or prices',
  'product.deleted': 'a product was deleted',
  'inventory.changed': 'the stock of a variant changed significantly',
  'order.created': 'an order was made',
  'order.paid': 'an order was paid',
  'order.payment_expired': 'an order was not paid in time',
  'order.fulfilled': 'an order was shipped',
  'order.delivered': 'an order was delivered',
  'order.cancelled': 'an order was cancelled',
  'order.refunded': 'an order was refunded',
  'order.updated': 'an order was changed in another way, such as its notes',
  'customer.created': 'a customer has an account now',
  'customer.updated': 'a customer or their addresses were changed',
  'agent.token_issued': 'an agent may act for a customer',
  'agent.token_revoked': 'an agent may no longer act for a customer',
  'webhook.ping': 'a webhook is tested',
} satisfies Record<WebhookEventType, string>;

export const EVENT_TYPES = Object.keys(MEANINGS) as WebhookEventType[];

/** The types, for the help of commands that take one. */
export const EVENT_TYPES_HELP = `
Events:
${EVENT_TYPES.map((type) => `  ${type.padEnd(22)} ${MEANINGS[type]}`).join('\n')}

Where events are subscribed to, order.* stands for all of that family, and '*' for all.`;

/** An argument that must be the type of an event. */
export function eventType(text: string): WebhookEventType {
  const type = EVENT_TYPES.find((known) => known === text);
  if (!type) throw new InvalidArgumentError(`Give one of ${EVENT_TYPES.join(', ')}.`);
  return type;
}

const FAMILIES: WebhookEventPattern[] = ['product.*', 'inventory.*', 'order.*', 'customer.*', 'agent.*', '*'];

/** Types, families such as `order.*`, or `*`: the values of an option that may be repeated. */
export function eventPatterns(text: string, earlier: WebhookEventPattern[] = []): WebhookEventPattern[] {
  return [...earlier, FAMILIES.find((known) => known === text) ?? eventType(text)];
}
