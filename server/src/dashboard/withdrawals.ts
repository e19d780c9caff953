import type { Handler } from '../http/pipeline/handler.ts';
import * as decide from '../shop/withdrawals/decide.ts';
import { link } from '../shop/withdrawals/match.ts';
import * as withdrawals from '../shop/withdrawals/rows.ts';

export const listWithdrawals: Handler<'dashboard.listWithdrawals'> = ({ shop, query }) => withdrawals.list(shop, query);

export const getWithdrawal: Handler<'dashboard.getWithdrawal'> = ({ shop, path }) =>
  withdrawals.get(shop, path.withdrawal_id);

export const confirmWithdrawal: Handler<'dashboard.confirmWithdrawal'> = ({ shop, path, body }) =>
  decide.confirm(shop, path.withdrawal_id, body?.lines);

export const closeWithdrawal: Handler<'dashboard.closeWithdrawal'> = ({ shop, path }) =>
  decide.close(shop, path.withdrawal_id);

export const linkWithdrawal: Handler<'dashboard.linkWithdrawal'> = ({ shop, path, body }) =>
  link(shop, path.withdrawal_id, body.order_number);
