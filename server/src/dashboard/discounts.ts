import type { Handler } from '../http/pipeline/handler.ts';
import * as discountCodes from '../shop/discounts/codes.ts';

export const listDiscounts: Handler<'dashboard.listDiscounts'> = ({ shop, query }) => discountCodes.list(shop, query);

export const createDiscount: Handler<'dashboard.createDiscount'> = ({ shop, body }) => discountCodes.create(shop, body);

export const getDiscount: Handler<'dashboard.getDiscount'> = ({ shop, path }) =>
  discountCodes.get(shop, path.discount_id);

export const updateDiscount: Handler<'dashboard.updateDiscount'> = ({ shop, path, body }) =>
  discountCodes.update(shop, path.discount_id, body);

export const deleteDiscount: Handler<'dashboard.deleteDiscount'> = ({ shop, path }) =>
  discountCodes.remove(shop, path.discount_id);

export const listDiscountRedemptions: Handler<'dashboard.listDiscountRedemptions'> = ({ shop, path, query }) =>
  discountCodes.listRedemptions(shop, path.discount_id, query);
