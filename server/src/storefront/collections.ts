import type { Handler } from '../http/pipeline/handler.ts';
import * as collections from '../shop/catalog/collections.ts';

export const listCollections: Handler<'storefront.listCollections'> = ({ shop, query }) =>
  collections.listPublished(shop, query);

export const getCollection: Handler<'storefront.getCollection'> = ({ shop, path }) =>
  collections.getPublished(shop, path.id_or_handle);

export const listCollectionProducts: Handler<'storefront.listCollectionProducts'> = ({ shop, path, query }) =>
  collections.listProducts(shop, path.id_or_handle, query);
