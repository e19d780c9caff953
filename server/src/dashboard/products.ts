import { mistakesInRow } from '../http/contract/rows.ts';
import type { Handler } from '../http/pipeline/handler.ts';
import * as merchantList from '../shop/catalog/merchant-list.ts';
import * as images from '../shop/products/images.ts';
import * as productImport from '../shop/products/import.ts';
import * as options from '../shop/products/options.ts';
import * as products from '../shop/products/products.ts';
import * as variants from '../shop/products/variants.ts';

export const listProducts: Handler<'dashboard.listProducts'> = ({ shop, query }) => merchantList.list(shop, query);

export const createProduct: Handler<'dashboard.createProduct'> = ({ shop, body }) => products.create(shop, body);

export const getProduct: Handler<'dashboard.getProduct'> = ({ shop, path }) => products.get(shop, path.product_id);

export const updateProduct: Handler<'dashboard.updateProduct'> = ({ shop, path, body }) =>
  products.update(shop, path.product_id, body);

export const deleteProduct: Handler<'dashboard.deleteProduct'> = ({ shop, path }) =>
  products.remove(shop, path.product_id);

export const createOption: Handler<'dashboard.createOption'> = ({ shop, path, body }) =>
  options.create(shop, path.product_id, body);

export const updateOption: Handler<'dashboard.updateOption'> = ({ shop, path, body }) =>
  options.update(shop, path.product_id, path.option_id, body);

export const deleteOption: Handler<'dashboard.deleteOption'> = ({ shop, path }) =>
  options.remove(shop, path.product_id, path.option_id);

export const createVariant: Handler<'dashboard.createVariant'> = ({ shop, path, body }) =>
  variants.create(shop, path.product_id, body);

export const updateVariant: Handler<'dashboard.updateVariant'> = ({ shop, path, body }) =>
  variants.update(shop, path.product_id, path.variant_id, body);

export const deleteVariant: Handler<'dashboard.deleteVariant'> = ({ shop, path }) =>
  variants.remove(shop, path.product_id, path.variant_id);

export const createImage: Handler<'dashboard.createImage'> = ({ shop, path, body }) =>
  images.create(shop, path.product_id, body);

export const updateImage: Handler<'dashboard.updateImage'> = ({ shop, path, body }) =>
  images.update(shop, path.product_id, path.image_id, body);

export const deleteImage: Handler<'dashboard.deleteImage'> = ({ shop, path }) =>
  images.remove(shop, path.product_id, path.image_id);

export const importProducts: Handler<'dashboard.importProducts'> = ({ shop, body }) =>
  productImport.importProducts(shop, body, mistakesInRow);

export const exportProducts: Handler<'dashboard.exportProducts'> = ({ shop, query }) =>
  products.exportPage(shop, query);
