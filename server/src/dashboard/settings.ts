import type { Handler } from '../http/pipeline/handler.ts';
import * as settings from '../shop/merchant/settings.ts';

export const getSettings: Handler<'dashboard.getSettings'> = ({ shop }) => settings.get(shop);

export const updateSettings: Handler<'dashboard.updateSettings'> = ({ shop, checkoutDeps, body }) =>
  settings.update(shop, body, checkoutDeps.baseUrl);
