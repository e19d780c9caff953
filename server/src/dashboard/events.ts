import { setTimeout as pause } from 'node:timers/promises';
import type { ListenerEvent } from '@commerce-backend/spec';
import { requireEvents } from '../http/callers/scopes.ts';
import type { Handler, Prepared } from '../http/pipeline/handler.ts';
import { ShopError } from '../shop/errors.ts';
import { inShop } from '../shop/in-shop.ts';
import { wholePayload } from '../shop/integrations/event-data.ts';
import { readableEvents } from '../shop/scopes.ts';
import type { Shop } from '../shop/shop.ts';
import * as events from '../shop/webhooks/events.ts';

export const createEventListener: Handler<'dashboard.createEventListener'> = ({ shop, caller, body }) => {
  requireEvents(body.events ?? [], caller);
  return events.listen(shop, body);
};

const LOOK_EVERY_MS = 500;
/** Maximum number of waiting requests per shop and process. Each queries the database twice a second. */
const MOST_WAITING = 20;
const waiting = new Map<string, number>();

async function whileWaiting(site_id: string, wait: () => Promise<void>): Promise<void> {
  const before = waiting.get(site_id) ?? 0;
  if (before >= MOST_WAITING) {
    const message = `This shop already has ${MOST_WAITING} waiting calls for events.`;
    throw new ShopError('rate_limited', message, { retry_after_seconds: 5 });
  }
  waiting.set(site_id, before + 1);
  await wait().finally(() => {
    const left = (waiting.get(site_id) ?? 1) - 1;
    if (left > 0) waiting.set(site_id, left);
    else waiting.delete(site_id);
  });
}

export const listListenerEvents: Prepared<'dashboard.listListenerEvents'> = {
  // While waiting, the request holds no database connection.
  async prepare({ db, caller, path, query, ended }) {
    const actor = { type: caller.kind, id: caller.principal_id, customer_id: null };
    const readable = readableEvents(caller.scopes);
    const until = Date.now() + (query.wait_seconds ?? 0) * 1000;
    const look = (shop: Shop) => events.hasNewEvents(shop, path.listener_id, query.cursor, readable);
    const wait = async () => {
      // A request that arrives during the shutdown still waits for a moment, so that clients do not retry without a
      // pause.
      while (Date.now() < until) {
        if (await inShop(db, caller.tenant, actor, look)) break;
        await pause(Math.min(LOOK_EVERY_MS, Math.max(0, until - Date.now())));
        if (ended()) break;
      }
    };
    if (query.wait_seconds) await whileWaiting(caller.tenant.site_id, wait);
    return async ({ shop }) => {
      const page = await events.fetch(shop, path.listener_id, query, readable);
      const told: ListenerEvent[] = [];
      for (const event of page.events) told.push({ ...event, payload: await wholePayload(shop, event.payload) });
      return { ...page, events: told };
    };
  },
};

export const deleteEventListener: Handler<'dashboard.deleteEventListener'> = ({ shop, path }) =>
  events.endListener(shop, path.listener_id);

export const triggerEvent: Handler<'dashboard.triggerEvent'> = ({ shop, body }) => events.trigger(shop, body);
