import { Link } from 'wouter';
import type { Schemas } from '../../api.ts';

/** The screen for the target of a call, by the end of its operation's name. The first target is the id in its path, or of the created object. */
const SCREENS: [operation: RegExp, path: string, noun: string][] = [
  [/Collection(Products?)?$/, '/collections', 'Collection'],
  [/(Product|Option|Image|Variant)$/, '/products', 'Product'],
  [/Discount$/, '/discounts', 'Discount'],
  [/(Order|OrderPaid|OrderDelivered|OrderMail|Fulfillment|Refund)$/, '/orders', 'Order'],
  [/Customer$/, '/customers', 'Customer'],
  [/AgentToken$/, '/agents', 'Agent'],
  [/Webhook$/, '/settings/webhooks', 'Webhook'],
];
/** The target of these operations no longer has a screen, or has one of another kind. */
const WITHOUT = /\.(delete(Product|Collection|Discount|Webhook)|\w+ShippingOption)$/;

/** Links to the target of a call that staff or an API key made: the product, the order and so on. */
export function Target({ event: { action, status, targets } }: { event: Schemas['AuditEvent'] }) {
  const [id] = targets;
  const [, path, noun] = SCREENS.find(([operation]) => operation.test(action)) ?? [];
  if (!id || !path || status >= 400 || WITHOUT.test(action)) return '—';
  return <Link to={`${path}/${id}`}>{noun}</Link>;
}
