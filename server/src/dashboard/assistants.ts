import type { ErrorBody } from '@commerce-backend/spec';
import type { Caller } from '../http/callers/caller.ts';
import { actorOf } from '../http/callers/callers.ts';
import type { Handler, Prepared } from '../http/pipeline/handler.ts';
import * as actions from '../shop/agents/assistant-actions.ts';
import { readAsked, shownRequest } from '../shop/agents/assistant-requests.ts';
import * as assistants from '../shop/agents/assistants.ts';
import { inShop } from '../shop/in-shop.ts';
import type { Shop } from '../shop/shop.ts';

export const getAssistantRequest: Handler<'dashboard.getAssistantRequest'> = async ({ caller, checkoutDeps, query }) =>
  shownRequest(checkoutDeps, readAsked(checkoutDeps, query.request, 'query'), caller.scopes);

export const connectAssistant: Handler<'dashboard.connectAssistant'> = ({ shop, caller, checkoutDeps, body }) =>
  assistants.connect(shop, checkoutDeps, body, caller.scopes);

export const listAssistants: Handler<'dashboard.listAssistants'> = async ({ shop, caller }) => ({
  assistants: await assistants.list(shop, managesStaff(caller)),
});

export const revokeAssistant: Handler<'dashboard.revokeAssistant'> = async ({ shop, caller, path }) => {
  await assistants.revoke(shop, path.assistant_id, managesStaff(caller));
  return undefined;
};

export const getAssistantAction: Handler<'dashboard.getAssistantAction'> = ({ shop, path }) =>
  actions.get(shop, path.action_id);

/**
 * Claims, runs and finishes the action in three transactions, because the confirmed operation runs in its own
 * transaction.
 */
export const confirmAssistantAction: Prepared<'dashboard.confirmAssistantAction'> = {
  async prepare({ db, caller, path: { action_id }, perform }) {
    const own = <T>(work: (shop: Shop) => Promise<T>) => inShop(db, caller.tenant, actorOf(caller), work);
    const taken = await own((shop) => actions.take(shop, action_id));
    const { status, body } = await perform(taken);
    const said = status < 400 ? {} : (JSON.parse(String(body)) as Partial<ErrorBody>);
    // The action may be confirmed again if the server could not run the call, or if an earlier attempt is still
    // running.
    const isTemporary = status >= 500 || status === 429 || said.retryable === true;
    const result = isTemporary ? undefined : { status, error: said.error ?? null, message: said.message ?? null };
    await own((shop) => actions.finish(shop, action_id, result));
    return ({ shop }) => actions.get(shop, action_id);
  },
};

export const declineAssistantAction: Handler<'dashboard.declineAssistantAction'> = ({ shop, path }) =>
  actions.decline(shop, path.action_id);

/** Whether the caller also sees and disconnects the assistants of other members. */
function managesStaff({ scopes }: Caller): boolean {
  return scopes.includes('staff:write');
}
