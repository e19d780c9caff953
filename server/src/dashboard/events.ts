import { setTimeout as pause } from 'node:timers/promises';
import type { ListenerEvent } from '@commerce-backend/spec';
import type { Beforehand, Handler } from '../http/pipeline/handler.ts';
import { inShop } from '../shop/in-shop.ts';
import { wholePayload } from '../shop/integrations/event-data.ts';
import type { Shop } from '../shop/shop.ts';
import * as events from '../shop/webhooks/events.ts';

export const createEventListener: Handler<'dashboard.createEventListener'> = ({ shop, body }) =>
  events.listen(shop, body);

const LOOK_EVERY_MS = 500;

export const listListenerEvents: Beforehand<'dashboard.listListenerEvents'> = {
  // A caller that waits holds no connection meanwhile.
  async beforehand({ db, caller, path, query, ended }) {
    const actor = { type: caller.kind, id: caller.principal_id, customer_id: null };
    const until = Date.now() + (query.wait_seconds ?? 0) * 1000;
    // A new call while the process drains still waits a moment, so that clients do not call again and again without a pause.
    while (Date.now() < until) {
      const look = (shop: Shop) => events.hasNewEvents(shop, path.listener_id, query.cursor);
      if (await inShop(db, caller.tenant, actor, look)) break;
      await pause(Math.min(LOOK_EVERY_MS, Math.max(0, until - Date.now())));
      if (ended()) break;
    }
    return async ({ shop }) => {
      const page = await events.fetch(shop, path.listener_id, query);
      const told: ListenerEvent[] = [];
      for (const event of page.events) told.push({ ...event, payload: await wholePayload(shop, event.payload) });
      return { ...page, events: told };
    };
  },
};

export const deleteEventListener: Handler<'dashboard.deleteEventListener'> = ({ shop, path }) =>
  events.endListener(shop, path.listener_id);

export const triggerEvent: Handler<'dashboard.triggerEvent'> = ({ shop, body }) => events.trigger(shop, body);
