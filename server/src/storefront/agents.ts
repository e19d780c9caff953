import type { Caller } from '../http/callers/caller.ts';
import { actorOf } from '../http/callers/callers.ts';
import type { Handler, Origin, Prepared } from '../http/pipeline/handler.ts';
import * as agentTokens from '../shop/agent-limits/tokens.ts';
import * as agentAudit from '../shop/agents/audit.ts';
import * as consents from '../shop/agents/consents.ts';
import { type Guesser, limitGuesses } from '../shop/agents/user-codes.ts';
import * as sessions from '../shop/customers/sessions.ts';

export const listAgents: Handler<'storefront.listAgents'> = async ({ shop, caller }) => ({
  agent_tokens: await agentTokens.listOfCustomer(shop, signedIn(caller).customer_id),
});

export const revokeAgent: Handler<'storefront.revokeAgent'> = ({ shop, caller, path }) =>
  agentTokens.revoke(shop, path.agent_token_id, 'customer', signedIn(caller).customer_id);

export const listAgentAudit: Handler<'storefront.listAgentAudit'> = ({ shop, caller, path, query }) =>
  agentAudit.listOfAgent(shop, path.agent_token_id, query, signedIn(caller).customer_id);

/** Returns a consent request. Counts attempts with unknown user codes first, because user codes are short. */
export const getAgentConsent: Prepared<'storefront.getAgentConsent'> = {
  async prepare({ db, caller, origin, path }) {
    await limitGuesses(db, guesserOf(caller, origin), path.user_code);
    return async ({ shop }) =>
      consents.get(shop, path.user_code, await consents.proofOf(shop, signedIn(caller).session_id, false));
  },
};

export const approveAgentConsent: Prepared<'storefront.approveAgentConsent'> = {
  async prepare({ db, caller, origin, path, body }) {
    await limitGuesses(db, guesserOf(caller, origin), path.user_code);
    const { current_password, ...approval } = body ?? {};
    if (current_password !== undefined) {
      await sessions.verifyAgain(db, caller.tenant, actorOf(caller), current_password);
    }
    return async ({ shop }) => {
      const proof = await consents.proofOf(shop, signedIn(caller).session_id, current_password !== undefined);
      return consents.approve(shop, path.user_code, approval, proof);
    };
  },
};

export const denyAgentConsent: Prepared<'storefront.denyAgentConsent'> = {
  async prepare({ db, caller, origin, path }) {
    await limitGuesses(db, guesserOf(caller, origin), path.user_code);
    return async ({ shop }) =>
      consents.deny(shop, path.user_code, await consents.proofOf(shop, signedIn(caller).session_id, false));
  },
};

function guesserOf(caller: Caller, { ip }: Origin): Guesser {
  return { tenant: caller.tenant, actor: actorOf(caller), ip };
}

/** The contract requires a customer token for these operations. */
function signedIn({ customer_id, session }: Caller): { customer_id: string; session_id: string } {
  if (!customer_id || !session) throw new Error('Unreachable: no customer.');
  return { customer_id, session_id: session.id };
}
