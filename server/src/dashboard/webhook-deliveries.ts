import type { Handler } from '../http/pipeline/handler.ts';
import * as deliveries from '../shop/webhooks/deliveries.ts';

export const listWebhookDeliveries: Handler<'dashboard.listWebhookDeliveries'> = ({ shop, query }) =>
  deliveries.list(shop, query);

export const getWebhookDelivery: Handler<'dashboard.getWebhookDelivery'> = ({ shop, path }) =>
  deliveries.get(shop, path.delivery_id);

export const replayWebhookDelivery: Handler<'dashboard.replayWebhookDelivery'> = ({ shop, path }) =>
  deliveries.replay(shop, path.delivery_id);

export const replayFailedWebhookDeliveries: Handler<'dashboard.replayFailedWebhookDeliveries'> = ({ shop, body }) =>
  deliveries.replayFailed(shop, body);
