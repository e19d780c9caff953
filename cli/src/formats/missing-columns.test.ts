import { expect, test } from 'vitest';
import { readText, refusals } from './testing.ts';

test('rejects a file without a title column with one error', async () => {
  const text = 'Handle,Image Src\nmug,https://i.example/1.jpg\ntee,https://i.example/2.jpg\n';
  await expect(readText(text)).rejects.toThrow('The file has no column Title.');
});

test.each([
  ['Shopify', 'Handle,Title,Vendor,Variant SKU\na,Mug,Alder,A\nb,Tee,Alder,B\n', 'Variant Price'],
  ['WooCommerce', 'ID,SKU,Name,Published,In stock?\n1,A,Mug,1,1\n2,B,Tee,1,1\n', 'Regular price'],
  ['Magento', 'sku,name,url_key,product_type\nA,Mug,mug,simple\nB,Tee,tee,simple\n', 'price'],
])('reports a missing price column of a %s file once', async (_shop, text, column) => {
  const { reads, products, warnings } = await readText(text);
  expect(refusals(reads)).toEqual([]);
  expect(products).toHaveLength(2);
  expect(warnings.filter(({ message }) => message.startsWith(`The file has no column ${column}`))).toHaveLength(1);
});

test.each([
  ['Shopify', 'Handle,Title,Variant Price\na,Mug,\n'],
  ['WooCommerce', 'ID,SKU,Name,Published,Regular price,In stock?\n1,A,Mug,1,,1\n'],
  ['Magento', 'sku,name,url_key,product_type,price\nA,Mug,mug,simple,\n'],
])('imports a product of a %s file without a price if its price cell is empty', async (_shop, text) => {
  const { reads, products } = await readText(text);
  expect(refusals(reads)).toEqual([]);
  expect(products[0]).not.toHaveProperty('price');
});

test('rejects a variant without a price if other variants have one', async () => {
  const text = 'Handle,Title,Option1 Name,Option1 Value,Variant Price\na,Mug,Size,S,5\na,,,M,\n';
  expect(refusals((await readText(text)).reads)).toEqual(['3 Variant Price: The price is missing.']);
});
