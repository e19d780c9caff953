import type { Handler } from '../http/pipeline/handler.ts';
import * as shippingOptions from '../shop/shipping/options.ts';

export const listShippingOptions: Handler<'dashboard.listShippingOptions'> = ({ shop, query }) =>
  shippingOptions.list(shop, query);

export const createShippingOption: Handler<'dashboard.createShippingOption'> = ({ shop, body }) =>
  shippingOptions.create(shop, body);

export const getShippingOption: Handler<'dashboard.getShippingOption'> = ({ shop, path }) =>
  shippingOptions.get(shop, path.shipping_option_id);

export const updateShippingOption: Handler<'dashboard.updateShippingOption'> = ({ shop, path, body }) =>
  shippingOptions.update(shop, path.shipping_option_id, body);

export const deleteShippingOption: Handler<'dashboard.deleteShippingOption'> = ({ shop, path }) =>
  shippingOptions.remove(shop, path.shipping_option_id);
