import { mistakesInRow } from '../http/contract/rows.ts';
import type { Handler } from '../http/pipeline/handler.ts';
import { bulkUpdate } from '../shop/catalog/bulk.ts';
import * as merchantList from '../shop/catalog/merchant-list.ts';
import * as pictures from '../shop/picture-addresses.ts';
import * as fileImages from '../shop/products/file-images.ts';
import * as images from '../shop/products/images.ts';
import * as productImport from '../shop/products/import.ts';
import * as options from '../shop/products/options.ts';
import * as products from '../shop/products/products.ts';
import * as replacement from '../shop/products/replace.ts';
import { updateRows } from '../shop/products/variant-rows.ts';
import * as variants from '../shop/products/variants.ts';

export const listProducts: Handler<'dashboard.listProducts'> = ({ shop, query }) => merchantList.list(shop, query);

export const createProduct: Handler<'dashboard.createProduct'> = async ({ shop, checkoutDeps, body }) => {
  await pictures.refuseInsecure(shop, checkoutDeps, body);
  return products.create(shop, body);
};

export const getProduct: Handler<'dashboard.getProduct'> = ({ shop, baseUrl, path }) =>
  fileImages.getWithWaiting(shop, path.product_id, baseUrl);

export const updateProduct: Handler<'dashboard.updateProduct'> = ({ shop, path, body }) =>
  products.update(shop, path.product_id, body);

export const replaceProduct: Handler<'dashboard.replaceProduct'> = async ({
  shop,
  baseUrl,
  checkoutDeps,
  path,
  body,
}) => {
  await pictures.refuseInsecure(shop, checkoutDeps, body);
  return replacement.replace(shop, path.product_id, body, baseUrl);
};

export const deleteProduct: Handler<'dashboard.deleteProduct'> = ({ shop, path }) =>
  products.remove(shop, path.product_id);

export const createOption: Handler<'dashboard.createOption'> = ({ shop, path, body }) =>
  options.create(shop, path.product_id, body);

export const updateOption: Handler<'dashboard.updateOption'> = ({ shop, path, body }) =>
  options.update(shop, path.product_id, path.option_id, body);

export const deleteOption: Handler<'dashboard.deleteOption'> = ({ shop, path }) =>
  options.remove(shop, path.product_id, path.option_id);

export const createVariant: Handler<'dashboard.createVariant'> = async ({ shop, checkoutDeps, path, body }) => {
  await pictures.refuseInsecure(shop, checkoutDeps, body);
  return variants.create(shop, path.product_id, body);
};

export const updateVariant: Handler<'dashboard.updateVariant'> = async ({ shop, checkoutDeps, path, body }) => {
  await pictures.refuseInsecure(shop, checkoutDeps, body);
  return variants.update(shop, path.product_id, path.variant_id, body);
};

export const deleteVariant: Handler<'dashboard.deleteVariant'> = ({ shop, path }) =>
  variants.remove(shop, path.product_id, path.variant_id);

export const createImage: Handler<'dashboard.createImage'> = async ({ shop, baseUrl, checkoutDeps, path, body }) => {
  await pictures.refuseInsecure(shop, checkoutDeps, { image_url: body.url }, 'url');
  return fileImages.withWaiting(shop, await images.create(shop, path.product_id, body), baseUrl);
};

export const updateImage: Handler<'dashboard.updateImage'> = async ({ shop, baseUrl, checkoutDeps, path, body }) => {
  await pictures.refuseInsecure(shop, checkoutDeps, { image_url: body.url }, 'url');
  return fileImages.withWaiting(shop, await images.update(shop, path.product_id, path.image_id, body), baseUrl);
};

export const deleteImage: Handler<'dashboard.deleteImage'> = async ({ shop, baseUrl, path }) =>
  fileImages.withWaiting(shop, await images.remove(shop, path.product_id, path.image_id), baseUrl);

export const importProducts: Handler<'dashboard.importProducts'> = ({ shop, checkoutDeps, body }) =>
  productImport.importProducts(
    shop,
    { ...body, own_origins: pictures.ownOrigins(shop, checkoutDeps), drafts_without_price: true },
    mistakesInRow,
  );

export const exportProducts: Handler<'dashboard.exportProducts'> = ({ shop, query }) =>
  products.exportPage(shop, query);

export const bulkUpdateProducts: Handler<'dashboard.bulkUpdateProducts'> = ({ shop, body }) => bulkUpdate(shop, body);

export const updateVariants: Handler<'dashboard.updateVariants'> = ({ shop, body }) => updateRows(shop, body.variants);
