import { actorOf } from '../http/callers/callers.ts';
import type { Beforehand, Handler } from '../http/pipeline/handler.ts';
import * as polls from '../shop/agents/consent-polls.ts';
import * as requests from '../shop/agents/consent-requests.ts';

export const requestConsent: Handler<'agent.requestConsent'> = ({ shop, checkoutDeps, body, origin }) =>
  requests.request(shop, checkoutDeps, body, origin);

/** A poll is noted in a transaction of its own: it counts whatever is answered. */
export const pollConsent: Beforehand<'agent.pollConsent'> = {
  async beforehand({ db, caller }) {
    await polls.notePoll(db, caller.tenant, actorOf(caller), caller.principal_id);
    return ({ shop }) => polls.issue(shop, caller.principal_id);
  },
};
