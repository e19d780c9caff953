import { granterOf } from '../http/callers/scopes.ts';
import type { Handler } from '../http/pipeline/handler.ts';
import * as invitations from '../shop/merchant/invitations.ts';
import * as members from '../shop/merchant/members.ts';

export const listStaff: Handler<'dashboard.listStaff'> = async ({ shop }) => ({ staff: await members.list(shop) });

export const updateStaffMember: Handler<'dashboard.updateStaffMember'> = ({ shop, caller, path, body }) =>
  members.changeRole(shop, path.staff_id, body.role, granterOf(caller));

export const removeStaffMember: Handler<'dashboard.removeStaffMember'> = async ({ shop, caller, path, query }) => {
  await members.remove(shop, path.staff_id, granterOf(caller), query.keys ?? 'ask');
  return undefined;
};

export const listStaffInvitations: Handler<'dashboard.listStaffInvitations'> = async ({ shop }) => ({
  invitations: await invitations.list(shop),
});

export const createStaffInvitation: Handler<'dashboard.createStaffInvitation'> = ({ shop, caller, body }) =>
  invitations.create(shop, body, granterOf(caller));

export const deleteStaffInvitation: Handler<'dashboard.deleteStaffInvitation'> = async ({ shop, caller, path }) => {
  await invitations.withdraw(shop, path.invitation_id, granterOf(caller));
  return undefined;
};
