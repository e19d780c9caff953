import type { Handler } from '../http/pipeline/handler.ts';
import * as settings from '../shop/merchant/settings.ts';

export const getShop: Handler<'storefront.getShop'> = ({ shop, baseUrl }) => settings.getPublic(shop, baseUrl);
