import { actorOf } from '../http/callers/callers.ts';
import type { OperationId } from '../http/contract/contract.ts';
import type { Handler, Prepared, WholeCall } from '../http/pipeline/handler.ts';
import * as account from '../shop/account/account.ts';
import * as accountExport from '../shop/account/export.ts';
import * as registration from '../shop/account/registration.ts';
import { mergeAtLogin } from '../shop/checkout/cart-merge.ts';
import * as addresses from '../shop/customers/addresses.ts';
import * as erasure from '../shop/customers/erasure.ts';
import * as sessions from '../shop/customers/sessions.ts';
import * as documents from '../shop/invoices/documents.ts';
import { getFile } from '../shop/invoices/files.ts';
import * as orderList from '../shop/orders/list.ts';
import * as orders from '../shop/orders/orders.ts';
import { refuseCommonPassword } from '../shop/passwords/common.ts';
import { hashPassword } from '../shop/passwords/passwords.ts';
import * as returnMoves from '../shop/returns/moves.ts';
import { request } from '../shop/returns/request.ts';
import * as returns from '../shop/returns/rows.ts';

export const registerCustomer: Prepared<'storefront.registerCustomer'> = {
  hashes: true,
  async prepare({ body: { email, password, ...given }, origin: { locale } }) {
    const profile = { ...given, ...(locale && { locale }) };
    await refuseCommonPassword(password, 'password');
    const password_hash = await hashPassword(password);
    return async ({ shop }) => {
      await registration.register(shop, { email, password_hash, profile });
      return { status: 'verification_sent' };
    };
  },
};

export const verifyEmail: Handler<'storefront.verifyEmail'> = ({ shop, body }) =>
  registration.verifyEmail(shop, body.token);

export const resendVerification: Handler<'storefront.resendVerification'> = async ({ shop, body }) => {
  await registration.resendVerification(shop, body.email);
  return { status: 'verification_sent' };
};

export const loginCustomer: Prepared<'storefront.loginCustomer'> = {
  hashes: true,
  async prepare({ db, caller, body, origin }) {
    const { email, password, cart_id, unlock_token = '' } = body;
    const shown = { email, password, unlocks: [unlock_token, ...origin.unlocks] };
    const verified = await sessions.verifyLogin(db, caller.tenant, actorOf(caller), shown);
    return async ({ shop }) => {
      const session = await sessions.openSession(shop, verified);
      const merged = cart_id ? await mergeAtLogin(shop, cart_id, verified.customer_id) : null;
      return { ...session, cart_id: merged ?? session.cart_id };
    };
  },
};

export const refreshCustomerToken: Handler<'storefront.refreshCustomerToken'> = ({ shop, caller }) =>
  sessions.refresh(shop, sessionOf(caller).token_id);

export const logoutCustomer: Handler<'storefront.logoutCustomer'> = async ({ shop, caller }) => {
  await sessions.endSession(shop, sessionOf(caller).id);
  return undefined;
};

export const logoutCustomerEverywhere: Handler<'storefront.logoutCustomerEverywhere'> = async ({ shop, caller }) => {
  await sessions.endAllSessions(shop, customerOf(caller));
  return undefined;
};

export const requestPasswordReset: Handler<'storefront.requestPasswordReset'> = async ({ shop, body, origin }) => {
  await registration.requestReset(shop, body.email, origin.locale);
  return { status: 'reset_sent' };
};

export const resetPassword: Prepared<'storefront.resetPassword'> = {
  hashes: true,
  async prepare({ db, caller, body }) {
    const password_hash = await registration.prepareReset(db, caller.tenant, actorOf(caller), body);
    return ({ shop }) => registration.reset(shop, body.token, password_hash);
  },
};

export const getCustomer: Handler<'storefront.getCustomer'> = ({ shop }) => account.profile(shop);

export const updateCustomer: Prepared<'storefront.updateCustomer'> = {
  async prepare({ db, caller, body: { current_password, ...patch } }) {
    if (current_password !== undefined) {
      await sessions.verifyAgain(db, caller.tenant, actorOf(caller), current_password);
    }
    return ({ shop }) => account.update(shop, patch);
  },
};

export const deleteCustomer: Handler<'storefront.deleteCustomer'> = ({ shop, caller }) =>
  erasure.remove(shop, customerOf(caller));

export const changePassword: Prepared<'storefront.changePassword'> = {
  async prepare({ db, caller, body }) {
    const change = await account.preparePasswordChange(db, caller.tenant, actorOf(caller), body);
    return ({ shop }) => account.changePassword(shop, change, sessionOf(caller).id);
  },
};

export const listAddresses: Handler<'storefront.listAddresses'> = async ({ shop, caller }) => ({
  addresses: await addresses.list(shop, customerOf(caller)),
});

export const createAddress: Handler<'storefront.createAddress'> = ({ shop, caller, body }) =>
  addresses.create(shop, customerOf(caller), body);

export const updateAddress: Handler<'storefront.updateAddress'> = ({ shop, caller, path, body }) =>
  addresses.update(shop, customerOf(caller), path.address_id, body);

export const deleteAddress: Handler<'storefront.deleteAddress'> = ({ shop, caller, path }) =>
  addresses.remove(shop, customerOf(caller), path.address_id);

export const exportCustomer: Handler<'storefront.exportCustomer'> = ({ shop, caller, query }) =>
  accountExport.exportCustomer(shop, customerOf(caller), query);

export const listCustomerOrders: Handler<'storefront.listCustomerOrders'> = ({ shop, caller, query }) =>
  orderList.listOfCustomer(shop, customerOf(caller), query);

export const getCustomerOrder: Handler<'storefront.getCustomerOrder'> = ({ shop, caller, path }) =>
  orders.getOfCustomer(shop, customerOf(caller), path.order_id);

export const listCustomerDocuments: Handler<'storefront.listCustomerDocuments'> = ({ shop, caller, query }) =>
  documents.list(shop, query, customerOf(caller));

export const getCustomerDocumentFile: Handler<'storefront.getCustomerDocumentFile'> = ({ shop, caller, path }) =>
  getFile(shop, path.document_id, path.format, customerOf(caller));

export const listCustomerReturns: Handler<'storefront.listCustomerReturns'> = ({ shop, caller, query }) =>
  returns.list(shop, query, customerOf(caller));

export const getCustomerReturn: Handler<'storefront.getCustomerReturn'> = ({ shop, caller, path }) =>
  returns.get(shop, path.return_id, customerOf(caller));

export const requestReturn: Handler<'storefront.requestReturn'> = async ({ shop, caller, body }) => {
  await erasure.holdActor(shop);
  return request(shop, body, customerOf(caller));
};

export const cancelCustomerReturn: Handler<'storefront.cancelCustomerReturn'> = ({ shop, caller, path }) =>
  returnMoves.cancel(shop, path.return_id, customerOf(caller));

export const setCustomerReturnTracking: Handler<'storefront.setCustomerReturnTracking'> = async ({
  shop,
  caller,
  path,
  body,
}) => {
  await erasure.holdActor(shop);
  return returnMoves.setTracking(shop, path.return_id, body, customerOf(caller));
};

type Caller = WholeCall<OperationId>['caller'];

/** The contract requires a customer token for these operations. */
function customerOf({ customer_id }: Caller): string {
  if (!customer_id) throw new Error('Unreachable: no customer.');
  return customer_id;
}

function sessionOf({ session }: Caller): NonNullable<Caller['session']> {
  if (!session) throw new Error('Unreachable: no session.');
  return session;
}
