import type { Caller } from '../http/callers/caller.ts';
import type { Handler, Prepared } from '../http/pipeline/handler.ts';
import { foldEmail } from '../shop/emails.ts';
import { enqueueForPerson, type Mails } from '../shop/mail.ts';
import * as secondFactor from '../shop/merchant/second-factor.ts';
import * as staff from '../shop/merchant/staff.ts';
import * as passwords from '../shop/merchant/staff-passwords.ts';
import * as sessions from '../shop/merchant/staff-sessions.ts';
import { refuseCommonPassword } from '../shop/passwords/common.ts';
import { hashPassword } from '../shop/passwords/passwords.ts';
import type { Shop } from '../shop/shop.ts';

export const changePassword: Prepared<'dashboard.changePassword'> = {
  hashes: true,
  async prepare({ db, caller, origin, body: { current_password, new_password } }) {
    await refuseCommonPassword(new_password, 'new_password');
    const shown = { password: current_password, unlocks: origin.unlocks };
    const { password_hash: from, ...person } = await staff.verifyOwnPassword(db, caller.principal_id, shown);
    const to = await hashPassword(new_password);
    return async ({ shop }) => {
      await passwords.change(shop, person.id, { from, to });
      return staff.openSession(shop, { staff: person, password_hash: to, code: undefined }, origin);
    };
  },
};

export const listSessions: Handler<'dashboard.listSessions'> = ({ shop, caller }) => sessions.list(shop, own(caller));

export const endSession: Handler<'dashboard.endSession'> = async ({ shop, caller, path }) => {
  await sessions.end(shop, caller.principal_id, path.session_id);
  return undefined;
};

export const endOtherSessions: Handler<'dashboard.endOtherSessions'> = async ({ shop, caller }) => {
  await sessions.endOthers(shop, own(caller));
  return sessions.list(shop, own(caller));
};

export const getTwoFactor: Handler<'dashboard.getTwoFactor'> = ({ shop, caller }) =>
  secondFactor.get(shop, caller.principal_id);

export const setUpTwoFactor: Handler<'dashboard.setUpTwoFactor'> = async ({ shop, caller, checkoutDeps }) =>
  secondFactor.setUp(shop, checkoutDeps, await staff.get(shop, caller.principal_id));

export const confirmTwoFactor: Prepared<'dashboard.confirmTwoFactor'> = {
  async prepare({ db, caller, checkoutDeps, body }) {
    const { principal_id: id } = caller;
    const code = await secondFactor.judge(db, checkoutDeps.secretKey, id, body.totp_code, true);
    return async ({ shop }) => {
      const recovery_codes = await secondFactor.confirm(shop, id, code);
      await sessions.confirm(shop, caller.credential_id, 'code');
      await tell(shop, id, 'two_factor_on');
      return { recovery_codes };
    };
  },
};

export const turnOffTwoFactor: Handler<'dashboard.turnOffTwoFactor'> = async ({ shop, caller }) => {
  await sessions.requireSecondFactor(shop, own(caller));
  const wasOn = await secondFactor.turnOff(shop, caller.principal_id);
  if (wasOn) await tell(shop, caller.principal_id, 'two_factor_off');
  return secondFactor.get(shop, caller.principal_id);
};

export const replaceRecoveryCodes: Handler<'dashboard.replaceRecoveryCodes'> = async ({ shop, caller }) => {
  await sessions.requireSecondFactor(shop, own(caller));
  const recovery_codes = await secondFactor.replaceRecoveryCodes(shop, caller.principal_id);
  await tell(shop, caller.principal_id, 'recovery_codes');
  return { recovery_codes };
};

function own({ principal_id, credential_id }: Caller): sessions.Own {
  return { staff_id: principal_id, current: credential_id };
}

async function tell(shop: Shop, staff_id: string, change: Mails['staff_account_changed']['change']): Promise<void> {
  const { email } = await staff.get(shop, staff_id);
  await enqueueForPerson(shop, 'staff_account_changed', { email: foldEmail(email), change });
}
