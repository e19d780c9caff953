import { actorOf } from '../http/callers/callers.ts';
import type { Handler, Prepared } from '../http/pipeline/handler.ts';
import * as polls from '../shop/agents/consent-polls.ts';
import * as requests from '../shop/agents/consent-requests.ts';

export const requestConsent: Handler<'agent.requestConsent'> = ({ shop, checkoutDeps, body, origin }) =>
  requests.request(shop, checkoutDeps, body, origin);

/** Records the poll in its own transaction, so that the poll counts even if the response is an error. */
export const pollConsent: Prepared<'agent.pollConsent'> = {
  async prepare({ db, caller }) {
    await polls.recordPoll(db, caller.tenant, actorOf(caller), caller.principal_id);
    return ({ shop }) => polls.issue(shop, caller.principal_id);
  },
};
