import { actorOf } from '../http/callers.ts';
import type { Beforehand, Handler } from '../http/contract.ts';
import * as polls from '../shop/consent-polls.ts';
import * as requests from '../shop/consent-requests.ts';

export const requestConsent: Handler<'agent.requestConsent'> = ({ shop, till, body, origin }) =>
  requests.request(shop, till, body, origin);

/** A poll is noted in a transaction of its own: it counts whatever is answered. */
export const pollConsent: Beforehand<'agent.pollConsent'> = {
  async beforehand({ db, caller }) {
    await polls.notePoll(db, caller.tenant, actorOf(caller), caller.principal_id);
    return ({ shop }) => polls.issue(shop, caller.principal_id);
  },
};
