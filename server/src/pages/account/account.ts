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
import { ACCOUNT_VIEWS, accountViewPath, orderPath, preparedFields, withQuery } from '../parts/paths.ts';
import type { PageAnswer, PageRoute } from '../parts/route.ts';
import { count, inShopOfVisit, runAction } from '../parts/visit.ts';
import { deleteAddress, makeDefault, saveAddress, showAddresses, showAddressForm } from './addresses.ts';
import { activityView, assistantsView } from './assistants.ts';
import { changeConsent } from './consent.ts';
import { deleteAccount, deletedPage, showDeletion } from './deletion.ts';
import { orderAgain, payOrder, showOrder } from './order.ts';
import { overviewView } from './overview.ts';
import { changeEmail, changePassword, saveProfile, showProfile } from './profile-changes.ts';
import { cancelReturn, requestReturn } from './returns.ts';
import { type AccountVisit, accountForm, DONE, idIn } from './visit.ts';

function loginWords({ language: { say } }: AccountVisit): LoginWords {
  return { where: 'account', title: say('account.login'), why: say('account.login_why') };
}

/** Makes the customer return to the requested order, agent or section after the login. */
function beforeLogin(visit: AccountVisit): AccountVisit {
  const { path, order_id, agent_id, prepared, view } = visit;
  if (order_id) {
    const order = orderPath(path, order_id);
    return { ...visit, path: prepared === undefined ? order : withQuery(order, 'return', prepared) };
  }
  if (agent_id) return { ...visit, path: withQuery(path, 'agent', agent_id) };
  return view ? { ...visit, path: accountViewPath(path, view) } : visit;
}

/** The account page, on which customers see their orders, and manage their addresses, profile and agents. */
export const accountPage: PageRoute<AccountVisit> = {
  path: '/account',
  where: 'account',
  async arrive(request) {
    const { agent, order, return: prepared, document, view, address, done } = request.req.query;
    return {
      ...(await arriveInShop(request, (id) => accountLink('', id))),
      agent_id: idIn(agent),
      order_id: idIn(order),
      prepared: preparedFields(prepared) && String(prepared),
      document_id: idIn(document),
      view: ACCOUNT_VIEWS.find((one) => one === view),
      address_id: idIn(address),
      done: DONE.find((one) => one === done),
    };
  },
  formOf: accountForm,
  show,
  post,
  notices: { payment_failed: 'order.pay_failed' },
};

const DEEDS_SHOWN = 50;

async function show(visit: AccountVisit): Promise<PageAnswer> {
  const { session, agent_id, view } = visit;
  if (!session && visit.done === 'deleted') return deletedPage(visit);
  if (!session) return showAccess(beforeLogin(visit), accountPage.formOf(visit), loginWords(visit));
  const csrf = visit.guard.csrfFor(visit.req, visit.res, accountPage.formOf(visit));
  const { customer_id } = session;
  if (visit.order_id) return showOrder(visit, csrf, visit.order_id, customer_id);
  if (agent_id) return showActivity(visit, agent_id, customer_id);
  switch (view) {
    case 'addresses':
      return showAddresses(visit, csrf, customer_id);
    case 'address':
      return showAddressForm(visit, csrf, customer_id);
    case 'profile':
      return showProfile(visit, csrf);
    case 'delete':
      return showDeletion(visit, csrf);
    case 'assistants':
      return showAssistants(visit, csrf, customer_id);
    default:
      return showOverview(visit, csrf, customer_id);
  }
}

async function showOverview(visit: AccountVisit, csrf: string, customer_id: string): Promise<PageAnswer> {
  const { req, checkoutDeps } = visit;
  const [, page = '1'] = /^([1-9]\d{0,3})$/.exec(String(req.query.page)) ?? [];
  await count(visit, 'storefront.listCustomerOrders');
  return inShopOfVisit(visit, async (shop) => {
    await promiseNoChange(shop);
    const found = await orderList.listOfCustomer(shop, customer_id, { page: Number(page), limit: 20 });
    return overviewView(visit, csrf, { found, waiting: await waitingCheckouts(shop, checkoutDeps) });
  });
}

async function showAssistants(visit: AccountVisit, csrf: string, customer_id: string): Promise<PageAnswer> {
  await count(visit, 'storefront.listAgents');
  return inShopOfVisit(visit, async (shop) => {
    await promiseNoChange(shop);
    return assistantsView(visit, csrf, await agentTokens.listOfCustomer(shop, customer_id));
  });
}

async function showActivity(visit: AccountVisit, agent_id: string, customer_id: string): Promise<PageAnswer> {
  await count(visit, 'storefront.listAgentAudit');
  return inShopOfVisit(visit, async (shop) => {
    await promiseNoChange(shop);
    const agent = await agentTokens.get(shop, agent_id, customer_id);
    const query = { limit: DEEDS_SHOWN };
    const { audit_events } = await agentAudit.listOfAgent(shop, agent_id, query, customer_id);
    return activityView(visit, agent, audit_events);
  });
}

async function post(visit: AccountVisit, body: FormBody): Promise<PageAnswer> {
  const action = body.get('action') ?? '';
  const entering = postAccess(beforeLogin(visit), accountPage.formOf(visit), loginWords(visit), body);
  if (entering) return entering;
  if (action === 'log_out') return logOut(visit, body);
  const { session } = visit;
  if (!session) return { redirect: visit.path };
  const { customer_id } = session;
  if (action === 'log_out_everywhere') return logOutEverywhere(visit, body, customer_id);
  if (action === 'marketing_on' || action === 'marketing_off') return changeConsent(visit, body, action);
  if (action === 'reorder') return orderAgain(visit, body);
  if (action === 'pay_due') return payOrder(visit, body, customer_id);
  if (action === 'request_return') return requestReturn(visit, body, customer_id);
  if (action === 'cancel_return') return cancelReturn(visit, body, customer_id);
  if (action === 'save_address') return saveAddress(visit, body, customer_id);
  if (action === 'delete_address') return deleteAddress(visit, body, customer_id);
  if (action === 'default_address') return makeDefault(visit, body, customer_id);
  if (action === 'save_profile') return saveProfile(visit, body);
  if (action === 'change_email') return changeEmail(visit, body, session);
  if (action === 'change_password') return changePassword(visit, body, session);
  if (action === 'delete_account') return deleteAccount(visit, body, customer_id);
  if (action === 'revoke') return revoke(visit, body, customer_id);
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
      return { redirect: accountViewPath(visit.path, 'assistants') };
    },
    async (_shop, error) => {
      throw error;
    },
  );
}
