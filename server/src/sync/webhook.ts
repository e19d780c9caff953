import { actorOf } from '../http/callers/callers.ts';
import type { Handler, Prepared } from '../http/pipeline/handler.ts';
import { ping } from '../shop/webhooks/ping.ts';
import { checkRegistration } from '../shop/webhooks/registration.ts';
import * as webhooks from '../shop/webhooks/webhooks.ts';

export const registerWebhook: Prepared<'sync.registerWebhook'> = {
  async prepare({ body: { url }, egress }) {
    await checkRegistration(url, egress.policy);
    return async ({ shop, checkoutDeps, body }) => {
      const { secret, ...webhook } = await webhooks.create(shop, checkoutDeps.secretKey, body);
      return { ...webhooks.registrationOf(webhook), secret };
    };
  },
};

export const listWebhooks: Handler<'sync.listWebhooks'> = ({ shop }) => webhooks.listRegistrations(shop);

export const deleteWebhook: Handler<'sync.deleteWebhook'> = ({ shop, path }) => webhooks.remove(shop, path.webhook_id);

export const testWebhook: Prepared<'sync.testWebhook'> = {
  async prepare({ db, egress, checkoutDeps: { secretKey }, caller, path }) {
    const pinged = await ping({ db, egress, secretKey }, caller.tenant, actorOf(caller), path.webhook_id);
    return ({ shop }) => pinged(shop);
  },
};

export const rotateWebhook: Handler<'sync.rotateWebhook'> = async ({ shop, checkoutDeps, path }) => {
  const { secret, ...webhook } = await webhooks.rotate(shop, checkoutDeps.secretKey, path.webhook_id);
  return { ...webhooks.registrationOf(webhook), secret };
};
