import { group, type Params, text, texts } from './form.ts';
import { cancelIntent, captureIntent, createIntent, createRefund } from './intents.ts';
import { intentOnTheWire, type Ledger, onTheWire } from './ledger.ts';
import { invalid } from './objects.ts';
import { createSession, expireSession, showSession } from './sessions.ts';

/** A request to Stripe's API. */
export interface ApiCall {
  method: string;
  /** The part of the URL after `/v1/`. */
  path: string;
  params: Params;
  account: string;
}

export function answer(ledger: Ledger, pages: string, { method, path, params, account }: ApiCall): object {
  const expand = Object.values(texts(group(params, 'expand')));
  const [collection = '', id = '', action = ''] = path.replace('checkout/sessions', 'sessions').split('/');
  const all = (listed: Iterable<{ id: string; created: number; account: string; payment_intent?: string | null }>) =>
    list(
      [...listed].filter((one) => one.account === account),
      params,
      (one) => one,
    );
  switch (`${method} ${collection}${id && '/id'}${action && `/${action}`}`) {
    case 'GET account':
      return { id: account, object: 'account' };
    case 'POST payment_intents':
      return createIntent(ledger, account, pages, params);
    case 'GET payment_intents':
      return all(
        [...ledger.intents.values()].map((intent) => ({ ...intentOnTheWire(intent), account: intent.account })),
      );
    case 'GET payment_intents/id':
      return intentOnTheWire(ledger.intent(id, account), expand);
    case 'POST payment_intents/id/capture':
      return captureIntent(ledger, ledger.intent(id, account), params);
    case 'POST payment_intents/id/cancel':
      return cancelIntent(ledger, ledger.intent(id, account));
    case 'POST sessions':
      return createSession(ledger, account, pages, params);
    case 'GET sessions':
      return all(ledger.sessions.values());
    case 'GET sessions/id':
      return showSession(ledger, ledger.session(id, account), expand);
    case 'POST sessions/id/expire':
      return expireSession(ledger, ledger.session(id, account));
    case 'POST refunds':
      return createRefund(ledger, account, params);
    case 'GET refunds':
      return all(ledger.refunds.values());
    case 'GET refunds/id':
      return onTheWire(ledger.refund(id, account));
    case 'GET webhook_endpoints':
      return all(ledger.webhooks.values());
    case 'POST webhook_endpoints/id':
      return onTheWire(Object.assign(ledger.webhook(id, account), texts(params)));
    case 'GET disputes/id':
      return onTheWire(ledger.dispute(id, account));
    default:
      throw invalid(`Unrecognized request URL (${method}: /v1/${path}).`, 'resource_missing');
  }
}

/** Returns a page of a list, newest entries first. */
function list<One extends { id: string; created: number; account: string; payment_intent?: string | null }>(
  all: One[],
  params: Params,
  wireOf: (one: One) => One,
): object {
  const created = group(params, 'created');
  const [from, to] = [Number(text(created, 'gte') ?? 0), Number(text(created, 'lte') ?? Number.MAX_SAFE_INTEGER)];
  const intent = text(params, 'payment_intent');
  const meant = all
    .filter(
      (one) => one.created >= from && one.created <= to && (intent === undefined || one.payment_intent === intent),
    )
    .toReversed();
  const after = text(params, 'starting_after');
  const begin = after === undefined ? 0 : meant.findIndex(({ id }) => id === after) + 1;
  const limit = Number(text(params, 'limit') ?? 10);
  const data = meant.slice(begin, begin + limit).map((one) => onTheWire(wireOf(one)));
  return { object: 'list', data, has_more: begin + limit < meant.length, url: '/v1/list' };
}
