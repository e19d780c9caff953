import type { Handler } from '../http/pipeline/handler.ts';
import * as catalog from '../shop/catalog/catalog.ts';

export const listProducts: Handler<'storefront.listProducts'> = ({ shop, query }) => catalog.list(shop, query);

export const getProduct: Handler<'storefront.getProduct'> = ({ shop, path }) => catalog.get(shop, path.id_or_slug);
