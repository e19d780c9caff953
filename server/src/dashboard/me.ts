import type { ApiKeyScope } from '@commerce-backend/spec';
import { withWords } from '../http/callers/scopes.ts';
import type { Handler } from '../http/pipeline/handler.ts';
import * as credentials from '../shop/merchant/credentials.ts';
import * as notifications from '../shop/merchant/notifications.ts';
import * as staff from '../shop/merchant/staff.ts';

export const getMe: Handler<'dashboard.getMe'> = async ({ shop, caller }) => {
  const scopes = withWords(caller.scopes as ApiKeyScope[]);
  const merchant = (await staff.merchantOf(shop)) ?? null;
  if (caller.kind === 'api_key') {
    const api_key = await credentials.get(shop, 'api_key', caller.credential_id);
    return {
      staff: null,
      api_key,
      role: null,
      language: null,
      scopes,
      merchant,
      merchants: merchant ? [merchant] : [],
    };
  }
  const person = await staff.get(shop, caller.principal_id);
  return {
    staff: person,
    api_key: null,
    role: caller.role ?? null,
    language: merchant && (await notifications.get(shop, person.id)).language,
    scopes,
    merchant,
    merchants: await staff.merchantsOf(shop, person.id),
  };
};

export const getNotifications: Handler<'dashboard.getNotifications'> = ({ shop, caller }) =>
  notifications.get(shop, caller.principal_id);

export const updateNotifications: Handler<'dashboard.updateNotifications'> = ({ shop, caller, body }) =>
  notifications.update(shop, caller.principal_id, body);
