import type { AgentToken } from '@commerce-backend/spec';
import * as account from '../../shop/account/account.ts';
import { waitingCheckouts } from '../../shop/account/overview.ts';
import * as agentTokens from '../../shop/agent-limits/tokens.ts';
import * as agentAudit from '../../shop/agents/audit.ts';
import { ShopError } from '../../shop/errors.ts';
import { promiseNoChange } from '../../shop/in-shop.ts';
import { accountLink } from '../../shop/links.ts';
import * as orderList from '../../shop/orders/list.ts';
import { postAccess, showAccess } from '../parts/access.ts';
import { arriveInShop } from '../parts/customer-visit.ts';
import type { FormBody } from '../parts/form-body.ts';
import { type LoginWords, logOut, logOutEverywhere } from '../parts/login.ts';
import { orderPath, preparedFields, withQuery } from '../parts/paths.ts';
import type { PageAnswer, PageRoute } from '../parts/route.ts';
import { count, inShopOfVisit, runAction } from '../parts/visit.ts';
import { changeConsent } from './consent.ts';
import { orderAgain, payOrder, showOrder } from './order.ts';
import { cancelReturn, requestReturn } from './returns.ts';
import { activityView, overviewView } from './views.ts';
import { type AccountVisit, accountForm, idIn } from './visit.ts';

function loginWords({ language: { say } }: AccountVisit): LoginWords {
  return { where: 'account', title: say('account.login'), why: say('account.login_why') };
}

/** Makes the customer return to the requested order or agent after the login. */
function beforeLogin(visit: AccountVisit): AccountVisit {
  const { path, order_id, agent_id, prepared } = visit;
  if (order_id) {
    const order = orderPath(path, order_id);
    return { ...visit, path: prepared === undefined ? order : withQuery(order, 'return', prepared) };
  }
  return agent_id ? { ...visit, path: withQuery(path, 'agent', agent_id) } : visit;
}

/** The account page, on which customers see their orders and agents, and revoke agents. */
export const accountPage: PageRoute<AccountVisit> = {
  path: '/account',
  where: 'account',
  async arrive(request) {
    const { agent, order, return: prepared, document } = request.req.query;
    return {
      ...(await arriveInShop(request, (id) => accountLink('', id))),
      agent_id: idIn(agent),
      order_id: idIn(order),
      prepared: preparedFields(prepared) && String(prepared),
      document_id: idIn(document),
    };
  },
  formOf: accountForm,
  show,
  post,
  notices: { payment_failed: 'order.pay_failed' },
};

const ORDERS_SHOWN = 20;
const DEEDS_SHOWN = 50;

async function show(visit: AccountVisit): Promise<PageAnswer> {
  const { session, agent_id, checkoutDeps } = visit;
  if (!session) return showAccess(beforeLogin(visit), accountPage.formOf(visit), loginWords(visit));
  const csrf = visit.guard.csrfFor(visit.req, visit.res, accountPage.formOf(visit));
  if (visit.order_id) return showOrder(visit, csrf, visit.order_id, session.customer_id);
  await count(visit, 'storefront.getCustomer');
  return inShopOfVisit(visit, async (shop) => {
    await promiseNoChange(shop);
    if (agent_id) {
      const agent = await agentTokens.get(shop, agent_id, session.customer_id);
      const { audit_events } = await agentAudit.listOfAgent(
        shop,
        agent_id,
        { limit: DEEDS_SHOWN },
        session.customer_id,
      );
      return activityView(visit, agent, audit_events);
    }
    const profile = await account.profile(shop);
    const agents: AgentToken[] = await agentTokens.listOfCustomer(shop, session.customer_id);
    const { orders: list, total } = await orderList.listOfCustomer(shop, session.customer_id, { limit: ORDERS_SHOWN });
    const waiting = await waitingCheckouts(shop, checkoutDeps);
    return overviewView(visit, csrf, { profile, agents, orders: list, orders_total: total, waiting });
  });
}

async function post(visit: AccountVisit, body: FormBody): Promise<PageAnswer> {
  const action = body.get('action') ?? '';
  const entering = postAccess(beforeLogin(visit), accountPage.formOf(visit), loginWords(visit), body);
  if (entering) return entering;
  if (action === 'log_out') return logOut(visit, body);
  if (!visit.session) return { redirect: visit.path };
  if (action === 'log_out_everywhere') return logOutEverywhere(visit, body, visit.session.customer_id);
  if (action === 'marketing_on' || action === 'marketing_off') return changeConsent(visit, body, action);
  if (action === 'reorder') return orderAgain(visit, body);
  if (action === 'pay_due') return payOrder(visit, body, visit.session.customer_id);
  if (action === 'request_return') return requestReturn(visit, body, visit.session.customer_id);
  if (action === 'cancel_return') return cancelReturn(visit, body, visit.session.customer_id);
  if (action === 'revoke') return revoke(visit, body, visit.session.customer_id);
  throw new ShopError('invalid_request', 'There is no such action.');
}

/** Revokes an agent. All its later calls fail, in every process. */
async function revoke(visit: AccountVisit, body: FormBody, customer_id: string): Promise<PageAnswer> {
  const id = idIn(body.get('agent'));
  if (!id) throw new ShopError('invalid_request', 'The form names no assistant.');
  await count(visit, 'storefront.revokeAgent');
  return runAction(
    visit,
    { operation_id: 'storefront.revokeAgent', action: 'revoke', body },
    async (shop) => {
      await agentTokens.revoke(shop, id, 'customer', customer_id);
      return { redirect: `${visit.path}#agents` };
    },
    async (_shop, error) => {
      throw error;
    },
  );
}
