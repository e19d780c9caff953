import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { delimiterOf, detectFormat } from './detect.ts';
import { readProducts } from './read.ts';
import { allOf, readText } from './testing.ts';

test.each([
  ['Handle,Title,Body (HTML),Vendor', 'a.csv', 'shopify'],
  ['Title,URL handle,Description,Vendor', 'a.csv', 'shopify'],
  ['"Title";"Variant Price"', 'a.csv', 'shopify'],
  ['\uFEFFHandle,Title,Variant Price', 'a.txt', 'shopify'],
  ['sku,store_view_code,attribute_set_code,product_type,name', 'a.csv', 'magento'],
  ['{"name":"Mug"}', 'a', 'jsonl'],
  ['\n{"name":"Mug"}', 'a.csv', 'jsonl'],
  ['', 'a.jsonl', 'jsonl'],
])('detects from the header %j of %s that the file has the format %s', (header, file, format) => {
  expect(detectFormat(header, file)).toBe(format);
});

test.each([
  ['[{"name":"Mug"}]', 'a.jsonl'],
  ['id,name,price', 'a.csv'],
])('detects no format from the header %j of %s', (header, file) => {
  expect(detectFormat(header, file)).toBeUndefined();
});

test('uses the delimiter that occurs most often in the header', () => {
  expect(delimiterOf('Handle;Title;"Body, (HTML)"')).toBe(';');
  expect(delimiterOf('Handle\tTitle')).toBe('\t');
  expect(delimiterOf('Title')).toBe(',');
});

test('rejects a file of an unknown format, and explains what to do', async () => {
  await expect(readText('id,name\n1,Mug\n')).rejects.toThrow('--format');
  await expect(readText('[{"name":"Mug"}]', { name: 'a.json' })).rejects.toThrow("jq -c '.[]'");
  await expect(readText('')).rejects.toThrow('is empty');
});

test.runIf(existsSync('/proc/self/fd'))('closes a file that it rejects for its format', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'formats-'));
  const path = join(folder, 'products.csv');
  await writeFile(path, 'id,name\n1,Mug\n');
  await expect(allOf(readProducts(path))).rejects.toThrow('--format');
  await sleep(50);
  const open = await Promise.all(
    (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => undefined)),
  );
  expect(open.filter((file) => file === path)).toEqual([]);
  await rm(folder, { recursive: true });
});
