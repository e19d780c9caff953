import type { EventType } from '@commerce-backend/spec';
import { requireEvents } from '../http/callers/scopes.ts';
import type { Handler } from '../http/pipeline/handler.ts';
import * as deliveries from '../shop/webhooks/deliveries.ts';

export const listWebhookDeliveries: Handler<'dashboard.listWebhookDeliveries'> = ({ shop, query }) =>
  deliveries.list(shop, query);

export const getWebhookDelivery: Handler<'dashboard.getWebhookDelivery'> = async ({ shop, caller, path }) => {
  const delivery = await deliveries.get(shop, path.delivery_id);
  // The payload of a delivery contains the resource of its event.
  requireEvents([delivery.type as EventType], caller);
  return delivery;
};

export const replayWebhookDelivery: Handler<'dashboard.replayWebhookDelivery'> = ({ shop, path }) =>
  deliveries.replay(shop, path.delivery_id);

export const replayFailedWebhookDeliveries: Handler<'dashboard.replayFailedWebhookDeliveries'> = ({ shop, body }) =>
  deliveries.replayFailed(shop, body);
