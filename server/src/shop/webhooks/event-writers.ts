import type { EventType } from '@commerce-backend/spec';

/**
 * Lists the code that writes each event. Triggers write most events, so that no way of changing a row can miss them.
 * Each trigger calls `commerce.emit` at the commit, so the event and its deliveries are part of the change
 * (db/schema.sql shows the current functions).
 */
export interface EventWriter {
  /** The table that the trigger is on, and its database function. */
  trigger?: { table: string; function: string };
  /** The server function that writes the event. */
  server?: string;
  /** The condition on the row under which the event is written. */
  when: string;
}

const order = { table: 'order_events', function: 'tell_order' };
const product = { table: 'products', function: 'tell_product' };
const agentToken = { table: 'tokens', function: 'tell_agent_token' };

export const EVENT_WRITERS: Record<EventType, EventWriter> = {
  'product.created': { trigger: product, when: 'inserted' },
  'product.updated': { trigger: product, when: 'updated, and not inserted by the same transaction' },
  'product.deleted': { trigger: product, when: 'deleted' },
  'inventory.changed': {
    trigger: { table: 'variants', function: 'tell_inventory' },
    when: 'availability flips, the low-stock threshold is crossed, or the change is at least max(5, 20 %)',
  },
  'order.created': { trigger: order, when: 'type = created' },
  'order.paid': { trigger: order, when: 'type = payment_confirmed' },
  'order.payment_expired': { trigger: order, when: 'type = payment_expired' },
  'order.fulfilled': { trigger: order, when: 'type = fulfilled' },
  'order.delivered': { trigger: order, when: 'type = delivered' },
  'order.cancelled': { trigger: order, when: 'type = cancelled' },
  'order.refunded': { trigger: order, when: 'type = refunded' },
  'order.updated': { trigger: order, when: 'type = updated, and not because a mail was sent again' },
  'customer.created': { trigger: { table: 'customers', function: 'tell_customer' }, when: 'inserted' },
  'customer.updated': {
    trigger: { table: 'customers', function: 'tell_customer_update' },
    when: 'a field that events show is updated, or an address of the customer is inserted, updated or deleted',
  },
  'agent.token_issued': { trigger: agentToken, when: 'an agent token is inserted' },
  'agent.token_revoked': { trigger: agentToken, when: 'revoked_at of an agent token is set' },
  'webhook.ping': { server: 'shop/webhooks/ping.ts ping', when: 'a webhook is tested' },
};
