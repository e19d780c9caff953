import type { Handler, Prepared } from '../http/pipeline/handler.ts';
import * as secondFactor from '../shop/merchant/second-factor.ts';
import * as staff from '../shop/merchant/staff.ts';
import * as passwords from '../shop/merchant/staff-passwords.ts';
import * as sessions from '../shop/merchant/staff-sessions.ts';

export const login: Prepared<'dashboard.login'> = {
  hashes: true,
  async prepare({ db, checkoutDeps, body: { unlock_token = '', ...shown }, origin }) {
    const unlocks = [unlock_token, ...origin.unlocks];
    const verified = await staff.verifyLogin(db, checkoutDeps.secretKey, { ...shown, unlocks });
    return ({ shop }) => staff.openSession(shop, verified, origin);
  },
};

export const logout: Handler<'dashboard.logout'> = async ({ shop, caller }) => {
  await staff.closeSession(shop, caller.credential_id);
  return undefined;
};

export const confirmIdentity: Prepared<'dashboard.confirmIdentity'> = {
  hashes: true,
  async prepare({ db, caller, checkoutDeps, body: { password, totp_code = '' }, origin }) {
    const { principal_id: id } = caller;
    if (password === undefined) {
      const code = await secondFactor.judge(db, checkoutDeps.secretKey, id, totp_code);
      return async ({ shop }) => {
        await secondFactor.use(shop, id, code);
        return { confirmed_until: await sessions.confirm(shop, caller.credential_id, 'code') };
      };
    }
    await staff.verifyOwnPassword(db, id, { password, unlocks: origin.unlocks });
    return async ({ shop }) => ({ confirmed_until: await sessions.confirm(shop, caller.credential_id, 'password') });
  },
};

export const requestStaffPasswordReset: Handler<'dashboard.requestStaffPasswordReset'> = async ({ shop, body }) => {
  await passwords.requestReset(shop, body.email);
  return { status: 'reset_sent' };
};

export const resetStaffPassword: Prepared<'dashboard.resetStaffPassword'> = {
  hashes: true,
  async prepare({ db, body }) {
    const password_hash = await passwords.prepareReset(db, body);
    return async ({ shop, noteAccount }) => {
      noteAccount({ staff_id: await passwords.reset(shop, body.token, password_hash) });
      return { status: 'password_changed' };
    };
  },
};
