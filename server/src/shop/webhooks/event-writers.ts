import type { EventType } from '@commerce-backend/spec';

/**
 * The code that writes an event. Most events are written by triggers, so that no change of a row is missed. A trigger
 * calls `commerce.emit` in the transaction of the change, so that the event is committed with it (db/schema.sql
 * contains the functions).
 */
export interface EventWriter {
  /** The table of the trigger, and its database function. */
  trigger?: { table: string; function: string };
  /** The server function that writes the event. */
  server?: string;
  /** The condition on the row under which the event is written. */
  when: string;
}

const order = { table: 'order_events', function: 'tell_order' };
const returned = { table: 'order_events', function: 'tell_return' };
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
  'return.requested': { trigger: returned, when: 'type = return_changed with the event requested' },
  'return.approved': { trigger: returned, when: 'type = return_changed with the event approved' },
  'return.declined': { trigger: returned, when: 'type = return_changed with the event declined' },
  'return.received': { trigger: returned, when: 'type = return_changed with the event received' },
  'return.closed': { trigger: returned, when: 'type = return_changed with the event closed' },
  'return.cancelled': { trigger: returned, when: 'type = return_changed with the event cancelled' },
  'document.issued': { trigger: { table: 'documents', function: 'tell_document' }, when: 'inserted' },
  'customer.created': { trigger: { table: 'customers', function: 'tell_customer' }, when: 'inserted' },
  'customer.updated': {
    trigger: { table: 'customers', function: 'tell_customer_update' },
    when: 'a field that events show is updated, or an address of the customer is inserted, updated or deleted',
  },
  'agent.token_issued': { trigger: agentToken, when: 'an agent token is inserted' },
  'agent.token_revoked': { trigger: agentToken, when: 'revoked_at of an agent token is set' },
  'webhook.ping': { server: 'shop/webhooks/ping.ts ping', when: 'a webhook is tested' },
};
