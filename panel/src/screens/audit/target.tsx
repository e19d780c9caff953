import { Link } from 'wouter';
import type { Schemas } from '../../api.ts';
import { t } from '../../language/texts.ts';

/**
 * The screen of a call's target, by the end of the operation id. The first target is the id in the path, or the id of
 * the created object.
 */
const SCREENS: [operation: RegExp, path: string, noun: string][] = [
  [/Collection(Products?)?$/, '/collections', t('Collection')],
  [/(Product|Option|Image|Variant)$/, '/products', t('Product')],
  [/Discount$/, '/discounts', t('Discount')],
  [/DraftOrder$/, '/drafts', t('Draft order')],
  [/(Order|OrderPaid|OrderDelivered|OrderMail|Fulfillment|Refund)$/, '/orders', t('Order')],
  [/Return$/, '/returns', t('Return')],
  [/Withdrawal$/, '/withdrawals', t('Withdrawal')],
  [/Customer$/, '/customers', t('Customer')],
  [/AgentToken$/, '/agents', t('Agent')],
  [/Webhook$/, '/settings/webhooks', t('Webhook')],
];
/**
 * Operations without a link to a screen, because the target was deleted or the operation's id suggests another screen.
 */
const WITHOUT = /\.(delete(Product|Collection|Discount|Webhook)|\w+ShippingOption)$/;

/** Links to the product, order or other target of a call by staff or an API key. */
export function Target({ event: { action, status, targets, target_name } }: { event: Schemas['AuditEvent'] }) {
  const [id] = targets;
  const [, path, noun] = SCREENS.find(([operation]) => operation.test(action)) ?? [];
  if (!id || !path || status >= 400 || WITHOUT.test(action)) return target_name ?? '—';
  return <Link to={`${path}/${id}`}>{target_name ?? noun}</Link>;
}
