import type { Beforehand, Handler } from '../http/pipeline/handler.ts';
import * as accounts from '../shop/payments/accounts/accounts.ts';

export const getPaymentAccount: Handler<'dashboard.getPaymentAccount'> = ({ shop, checkoutDeps }) =>
  accounts.get(shop, checkoutDeps);

/** Whether Stripe accepts a key is asked before, outside the transaction. */
export const updatePaymentAccount: Beforehand<'dashboard.updatePaymentAccount'> = {
  async beforehand({ body, checkoutDeps }) {
    if (body.secret_key !== undefined) await checkoutDeps.accounts?.refuseWrongKey(body.secret_key);
    return ({ shop, body, checkoutDeps }) => accounts.update(shop, checkoutDeps, body);
  },
};

export const deletePaymentAccount: Handler<'dashboard.deletePaymentAccount'> = ({ shop, checkoutDeps }) =>
  accounts.remove(shop, checkoutDeps);
