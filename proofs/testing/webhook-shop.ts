import { sendUntilAnswered } from './retrying-client.ts';
import { openTenant } from './site.ts';

const ANSWER_WITHIN_MS = 120_000;

/** A shop with an API key and webhooks. Its calls go to any server that is running. */
export interface EventShop {
  site_id: string;
  credentials: Awaited<ReturnType<typeof openTenant>>;
  /** Calls the API with the shop's API key until the response is definite. Throws unless it succeeds. */
  call<T>(method: 'GET' | 'POST', path: string, body?: unknown): Promise<T>;
  addWebhook(url: string, events: string[]): Promise<{ id: string; secret: string }>;
}

/** Opens a shop in a migrated database. `servers` returns the base URLs that may respond now. */
export async function openEventShop(databaseUrl: string, servers: () => string[]): Promise<EventShop> {
  return eventShopOf(await openTenant(databaseUrl), servers);
}

/** Returns the webhook shop for the credentials of an existing shop. */
export function eventShopOf(credentials: EventShop['credentials'], servers: () => string[]): EventShop {
  const headers = { 'X-API-Key': credentials.api_key };
  const call: EventShop['call'] = async (method, path, sent) => {
    const { status, body } = await sendUntilAnswered(servers, { method, path, headers, body: sent }, ANSWER_WITHIN_MS);
    if (status >= 300) throw new Error(`${method} ${path} of the proof was refused: ${status} ${body}`);
    return JSON.parse(body);
  };
  return {
    site_id: credentials.site_id,
    credentials,
    call,
    addWebhook: (url, events) => call('POST', '/api/dashboard/webhooks', { url, events }),
  };
}
