import type { Caller } from '../http/callers/caller.ts';
import type { Handler } from '../http/pipeline/handler.ts';
import { readAsked, shownRequest } from '../shop/agents/assistant-requests.ts';
import * as assistants from '../shop/agents/assistants.ts';

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

/** Whether the caller also sees and disconnects the assistants of other members. */
function managesStaff({ scopes }: Caller): boolean {
  return scopes.includes('staff:write');
}
