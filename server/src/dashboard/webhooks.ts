import { actorOf } from '../http/callers/callers.ts';
import { requireEvents } from '../http/callers/scopes.ts';
import type { Handler, Prepared } from '../http/pipeline/handler.ts';
import { ping } from '../shop/webhooks/ping.ts';
import { checkRegistration } from '../shop/webhooks/registration.ts';
import * as webhooks from '../shop/webhooks/webhooks.ts';

export const listWebhooks: Handler<'dashboard.listWebhooks'> = ({ shop }) => webhooks.list(shop);

export const createWebhook: Prepared<'dashboard.createWebhook'> = {
  async prepare({ body: { url, events }, caller, egress }) {
    requireEvents(events, caller);
    await checkRegistration(url, egress.policy);
    return ({ shop, checkoutDeps, body }) => webhooks.create(shop, checkoutDeps.secretKey, body);
  },
};

export const getWebhook: Handler<'dashboard.getWebhook'> = ({ shop, path }) => webhooks.get(shop, path.webhook_id);

export const updateWebhook: Prepared<'dashboard.updateWebhook'> = {
  async prepare({ body: { url }, egress }) {
    if (url !== undefined) await checkRegistration(url, egress.policy);
    return async ({ shop, caller, path, body }) => {
      const changed = await webhooks.update(shop, path.webhook_id, body);
      // The caller who sets the URL or the events must be allowed to read those events.
      if ('url' in body || 'events' in body) requireEvents(changed.events, caller);
      return changed;
    };
  },
};

export const deleteWebhook: Handler<'dashboard.deleteWebhook'> = ({ shop, path }) =>
  webhooks.remove(shop, path.webhook_id);

export const testWebhook: Prepared<'dashboard.testWebhook'> = {
  async prepare({ db, egress, checkoutDeps: { secretKey }, caller, path }) {
    const pinged = await ping({ db, egress, secretKey }, caller.tenant, actorOf(caller), path.webhook_id);
    return ({ shop }) => pinged(shop);
  },
};

export const rotateWebhook: Handler<'dashboard.rotateWebhook'> = ({ shop, checkoutDeps, path }) =>
  webhooks.rotate(shop, checkoutDeps.secretKey, path.webhook_id);
