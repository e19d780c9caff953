import type { Handler, Prepared } from '../http/pipeline/handler.ts';
import * as accounts from '../shop/payments/accounts/accounts.ts';

export const getPaymentAccount: Handler<'dashboard.getPaymentAccount'> = ({ shop, checkoutDeps }) =>
  accounts.get(shop, checkoutDeps);

/** Validates the key with Stripe before the transaction. */
export const updatePaymentAccount: Prepared<'dashboard.updatePaymentAccount'> = {
  async prepare({ body, caller, checkoutDeps }) {
    const { site_id } = caller.tenant;
    const found = body.secret_key && (await checkoutDeps.accounts?.refuseWrongKey(site_id, body.secret_key));
    const isOtherAccount = found ? found.isOtherAccount : false;
    return ({ shop, body, checkoutDeps }) => accounts.update(shop, checkoutDeps, body, isOtherAccount);
  },
};

export const deletePaymentAccount: Handler<'dashboard.deletePaymentAccount'> = ({ shop, checkoutDeps }) =>
  accounts.remove(shop, checkoutDeps);
