import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { fakeServer, loggedIn } from '../testing.ts';
import { decodedText, encodingOf } from './encoding.ts';
import { readText } from './testing.ts';

/** Texts and their bytes as Excel writes them in that country. */
const OTHERS: [encoding: string, bytes: number[], text: string][] = [
  ['windows-1250', [0xbf, 0xf3, 0xb3, 0x77, 0x20, 0x9c, 0x63, 0x69], 'żółw ści'],
  ['windows-1250', [0xc8, 0x65, 0x72, 0x6e, 0xfd], 'Černý'],
  ['windows-1251', [0xcf, 0xee, 0xe4, 0xe0, 0xf0, 0xee, 0xea], 'Подарок'],
  ['windows-1253', [0xc4, 0xfe, 0xf1, 0xef], 'Δώρο'],
  ['windows-1254', [0xde, 0x61, 0x6c, 0xfd], 'Şalı'],
  ['windows-1252', [0x63, 0x72, 0xe8, 0x6d, 0x65], 'crème'],
  ['iso-8859-2', [0xb6, 0x77, 0x69, 0x61, 0x74], 'świat'],
  ['shift_jis', [0x8e, 0x4d, 0x82, 0xcc], '皿の'],
  ['euc-kr', [0xbc, 0xb1, 0xb9, 0xb0], '선물'],
  ['gbk', [0xc0, 0xf1, 0xce, 0xef], '礼物'],
  ['ibm866', [0x8f, 0xae, 0xa4, 0xa0], 'Пода'],
];

async function* chunks(...pieces: number[][]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield Uint8Array.from(piece);
}

test.each(OTHERS)('rejects a file in %s, and reads it if its encoding is given', async (encoding, bytes, text) => {
  const file = Uint8Array.from(bytes);
  await expect(decodedText('f.csv', file)).rejects.toThrow(/f\.csv is not UTF-8.*--encoding/);
  expect(await decodedText('f.csv', file, encoding)).toBe(text);
});

test.each([
  ['UTF-8', Buffer.from('crème, Подарок'), 'utf-8'],
  ['UTF-8 with a byte order mark', Buffer.from('\ufeffcrème'), 'utf-8'],
  ['ASCII', Buffer.from('tea'), 'utf-8'],
  ['UTF-16 with a byte order mark', Buffer.from('\ufeffcrème', 'utf16le'), 'utf-16le'],
  ['Windows-1252 in German texts', Buffer.from('Gr\xfc\xdfe, Caf\xe9 5 \x80', 'latin1'), 'windows-1252'],
])('recognizes %s', async (_what, bytes, encoding) => {
  expect(await encodingOf('f.csv', chunks([...bytes]))).toBe(encoding);
});

test('accepts a character split between chunks, and rejects one cut off at the end of the file', async () => {
  expect(await encodingOf('f.csv', chunks([0x63, 0xc3], [0xa8, 0x6d]))).toBe('utf-8');
  await expect(encodingOf('f.csv', chunks([0x63, 0xc3]))).rejects.toThrow(/not UTF-8/);
});

test('finds a non-ASCII letter late in the file before it returns the first row', async () => {
  const rows = `Handle,Title,Variant Price\n${'tea,Tea,1\n'.repeat(40_000)}`;
  const file = Buffer.concat([Buffer.from(rows), Buffer.from(OTHERS[0]?.[1] ?? [])]);
  await expect(readText(file)).rejects.toThrow(/not UTF-8/);
});

test.each([
  ['UTF-16 without a byte order mark', Buffer.from('tea', 'utf16le'), undefined, /not UTF-8/],
  ['bytes that are invalid in the named encoding', Buffer.from([0xff, 0xff]), 'shift_jis', /not valid shift_jis/],
  ['an encoding that does not exist', Buffer.from('tea'), 'windows-9', /no encoding windows-9/],
])('rejects a file that it cannot decode: %s', async (_what, bytes, named, message) => {
  await expect(decodedText('f.csv', bytes, named)).rejects.toThrow(message);
});

const POLISH = (header: string, row: string) =>
  Buffer.concat([Buffer.from(`${header}\n`), Buffer.from(OTHERS[0]?.[1] ?? []), Buffer.from(`${row}\n`)]);

test.each([
  [['products', 'import'], 'products.csv', POLISH('Title,Handle,Variant Price', ',turtle,10.00')],
  [
    ['customers', 'import'],
    'customers.csv',
    POLISH('First Name,Last Name,Email,Accepts Email Marketing', ',A,a@example.com,no'),
  ],
  [
    ['orders', 'import'],
    'orders.csv',
    POLISH('Notes,Name,Email,Financial Status,Lineitem name', ',#1,a@example.com,paid,Tea'),
  ],
  [['orders', 'match'], 'bank.csv', POLISH('Reference,Amount', ' 1001,10.00')],
  [['orders', 'ship-many'], 'parcels.csv', POLISH('carrier,order_number', ',1001')],
  [['inventory', 'adjust-many'], 'stock.csv', POLISH('note,sku,delta', ',A,1')],
])('%j rejects a file in an unknown encoding, and sends nothing', async ([noun = '', verb = ''], name, bytes) => {
  const folder = await mkdtemp(join(tmpdir(), 'encoding-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, name);
  await writeFile(file, bytes);
  const server = await fakeServer({});
  const { commerce } = await loggedIn(server.url);
  const reason = noun === 'inventory' ? ['--reason', 'received'] : [];
  const { code, err } = await commerce([noun, verb, file, ...reason]);

  expect(err).toContain('is not UTF-8');
  expect(code).toBe(2);
  expect(server.seen).toEqual([]);
});
