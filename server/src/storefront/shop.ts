import type { Handler } from '../http/contract.ts';
import * as settings from '../shop/settings.ts';

export const getShop: Handler<'storefront.getShop'> = ({ shop }) => settings.getPublic(shop);
