import type { Beforehand, Handler } from '../http/pipeline/handler.ts';
import * as staff from '../shop/merchant/staff.ts';

export const login: Beforehand<'dashboard.login'> = {
  hashes: true,
  async beforehand({ db, body: { email, password, unlock_token = '' }, origin }) {
    const person = await staff.verifyLogin(db, email, password, [unlock_token, ...origin.unlocks]);
    return ({ shop }) => staff.openSession(shop, person);
  },
};

export const logout: Handler<'dashboard.logout'> = async ({ shop, caller }) => {
  await staff.closeSession(shop, caller.credential_id);
  return undefined;
};
