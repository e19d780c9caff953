import type { Handler } from '../http/pipeline/handler.ts';
import * as collections from '../shop/catalog/collections.ts';
import * as pictures from '../shop/picture-addresses.ts';

export const listCollections: Handler<'dashboard.listCollections'> = ({ shop, query }) => collections.list(shop, query);

export const createCollection: Handler<'dashboard.createCollection'> = async ({ shop, checkoutDeps, body }) => {
  await pictures.refuseInsecure(shop, checkoutDeps, body);
  return collections.create(shop, body);
};

export const getCollection: Handler<'dashboard.getCollection'> = ({ shop, path, query }) =>
  collections.get(shop, path.collection_id, query);

export const updateCollection: Handler<'dashboard.updateCollection'> = async ({ shop, checkoutDeps, path, body }) => {
  await pictures.refuseInsecure(shop, checkoutDeps, body);
  return collections.update(shop, path.collection_id, body);
};

export const deleteCollection: Handler<'dashboard.deleteCollection'> = ({ shop, path }) =>
  collections.remove(shop, path.collection_id);

export const addCollectionProducts: Handler<'dashboard.addCollectionProducts'> = ({ shop, path, body }) =>
  collections.addProducts(shop, path.collection_id, body.product_ids);

export const removeCollectionProduct: Handler<'dashboard.removeCollectionProduct'> = ({ shop, path }) =>
  collections.removeProduct(shop, path.collection_id, path.product_id);

export const reorderCollectionProducts: Handler<'dashboard.reorderCollectionProducts'> = ({ shop, path, body }) =>
  collections.reorderProducts(shop, path.collection_id, body.product_ids);
