import type { Handler, Prepared } from '../http/pipeline/handler.ts';
import * as invitations from '../shop/merchant/invitations.ts';
import * as staff from '../shop/merchant/staff.ts';
import { refuseCommonPassword } from '../shop/passwords/common.ts';
import { hashPassword } from '../shop/passwords/passwords.ts';

export const getInvitation: Handler<'dashboard.getInvitation'> = ({ shop, body }) => invitations.show(shop, body.token);

export const acceptInvitation: Handler<'dashboard.acceptInvitation'> = async ({ shop, caller, body, noteAccount }) => {
  const place = await invitations.accept(shop, body.token, await staff.get(shop, caller.principal_id));
  noteAccount({ staff_id: place.staff.id, site_id: place.merchant.site_id });
  return place;
};

export const registerStaff: Prepared<'dashboard.registerStaff'> = {
  hashes: true,
  async prepare({ db, body: { token, name, password } }) {
    await invitations.refuseUnusable(db, token);
    await refuseCommonPassword(password, 'password');
    const password_hash = await hashPassword(password);
    return async ({ shop, noteAccount }) => {
      const place = await invitations.register(shop, token, { name, password_hash });
      noteAccount({ staff_id: place.staff.id, site_id: place.merchant.site_id });
      return place;
    };
  },
};
