import { expect, test } from 'vitest';
import { languageFor } from '../../language/language.ts';
import { NO_BRAND, NO_LEGAL } from '../merchant/brand.ts';
import type { Part } from './parts.ts';
import { type MailContent, render } from './rendering.ts';

const language = languageFor('en', 'UTC');
const FRONT = { site_id: 'x', brand: NO_BRAND, legal: NO_LEGAL, legal_texts: [], withdrawal_page: false };
const BASE = 'https://shop.example';

test('escapes texts of merchants and customers in mails, and removes line breaks from mail headers', () => {
  const evil = '<img src=x onerror="alert(1)">';
  const mail = render(
    {
      to: 'june@example.com',
      language,
      subject: 'Hello\r\nBcc: all@example.com',
      parts: [{ paragraph: evil }, { link: 'https://x/?a="><b>', label: evil }, { facts: [[evil, evil]] }],
    },
    { ...FRONT, name: `Alder & <Finch>\n` },
    BASE,
  );

  expect(mail.html).not.toMatch(/<img|<b>|<Finch>/);
  expect(mail.html).toContain('&lt;img src=x onerror=&quot;alert(1)&quot;&gt;');
  expect([mail.subject, mail.from_name]).toEqual(['Hello Bcc: all@example.com', 'Alder & <Finch>']);
  expect(mail.text).toContain(evil);
});

test('mails omit invisible characters in texts that older releases stored', () => {
  const parts = [{ paragraph: 'Mug\u202egnp\nnext' }, { facts: [['Na\u200bme', 'a\u0007b'] as [string, string]] }];

  const { subject, text, html, from_name } = render(
    { to: 'june@example.com', language, subject: 'A\u2066b', parts },
    { ...FRONT, name: 'Sh\ufeffop' },
    BASE,
  );

  expect([subject, from_name]).toEqual(['Ab', 'Shop']);
  expect(text).toBe('Muggnp\nnext\n\nName: ab\n\nShop');
  expect(html).toContain('>Muggnp<br>next</p>');
  expect(html.replaceAll(/ (?:scope|class|style)="[^"]*"/g, '')).toContain('<tr><th>Name</th><td>ab</td></tr>');
});

test('formats names and values by language in plain-text mails, and omits missing amounts', () => {
  const items = [{ name: 'Mug', variant: null, detail: '1', amount: null, picture: null }];
  const facts: [string, string][] = [['Transporteur', 'DHL']];

  const { text } = render(
    {
      to: 'june@example.com',
      language: languageFor('fr', 'UTC'),
      subject: 'Colis',
      parts: [{ facts }, { items }, { link: 'https://shop.example/1', label: 'Suivre le colis' }],
    },
    { ...FRONT, name: 'Boutique', legal: { ...NO_LEGAL, terms_url: 'https://shop.example/terms' } },
    BASE,
  );

  expect(text.split('\n')).toEqual(
    [
      'Transporteur\u00a0: DHL',
      '',
      '1 × Mug',
      '',
      'Suivre le colis\u00a0:',
      'https://shop.example/1',
      '',
      'Boutique',
      '',
    ].concat(expect.stringMatching(/^[^:]+\u00a0: https:\/\/shop\.example\/terms$/)),
  );
});

test('mails link to the withdrawal page if the shop has one', () => {
  const content = { to: 'june@example.com', language, subject: 'A', parts: [] };
  const of = (withdrawal_page: boolean) => render(content, { ...FRONT, name: 'Shop', withdrawal_page }, BASE);

  expect(of(true).text).toContain('Withdraw from contract here: https://shop.example/sites/x/withdraw');
  expect(of(true).html).toMatch(
    /<a href="https:\/\/shop\.example\/sites\/x\/withdraw"[^>]*>Withdraw from contract here<\/a>/,
  );
  expect(of(false).text).not.toContain('withdraw');
});

const write = (parts: Part[], more: Partial<MailContent> = {}) =>
  render(
    { to: 'june@example.com', language, subject: 'Your order 1001', parts, ...more },
    { ...FRONT, name: 'Shop' },
    BASE,
  );

test('the first link of a mail is its button, and only the text version shows URLs', () => {
  const { html, text } = write([
    { paragraph: 'Hello' },
    { link: 'https://carrier.example/1', label: 'Track' },
    { link: 'https://shop.example/1', label: 'View' },
  ]);

  expect(html.match(/<a class="button-link" href="[^"]*"/g)).toEqual([
    '<a class="button-link" href="https://carrier.example/1"',
  ]);
  expect(html).toMatch(/<a class="link" href="https:\/\/shop\.example\/1"[^>]*>View<\/a>/);
  expect(html.replaceAll(/<[^>]*>/g, '')).not.toContain('https://');
  expect(text).toContain('Track:\nhttps://carrier.example/1\n\nView:\nhttps://shop.example/1');
});

test('if a mail contains several links of equal importance, none of them is a button', () => {
  const link = (label: string): Part => ({ link: `https://shop.example/${label}`, label, among_others: true });
  const { html } = write([link('first'), link('second')]);
  expect(html).not.toContain('<a class="button-link"');
  expect(html.match(/<a class="link"/g)).toHaveLength(2);
});

test('the headline is the subject or a separate one, and a sentence that repeats it is only in the text version', () => {
  const plain = write([{ paragraph: 'Order 1001 has changed.', in_text_only: true }, { paragraph: 'We will write.' }]);
  expect(plain.html).toMatch(/<h1[^>]*>Your order 1001<\/h1>/);
  expect(plain.html).not.toMatch(/<p[^>]*>Order 1001 has changed\.<\/p>/);
  expect(plain.text).toBe('Order 1001 has changed.\n\nWe will write.\n\nShop');

  const other = write([], { headline: 'Thank you' });
  expect(other.html).toMatch(/<h1[^>]*>Thank you<\/h1>/);
  expect(other.html).toContain('<title>Your order 1001</title>');
  expect(other.text).toBe('Thank you\n\nShop');
});

test('a mail has a column of pictures only if one of its items has a picture', () => {
  const item = { name: 'Mug', variant: 'Slate', detail: '2', amount: '28', picture: null };
  const cells = (picture: string | null) =>
    write([{ items: [item, { ...item, picture }] }]).html.match(/<td class="line"/g)?.length;
  expect(cells(null)).toBe(4);
  expect(cells('https://shop.example/mug.jpg')).toBe(6);
});

test('the QR code of a transfer is an attached image, and bank details stay readable without it', () => {
  const code = { bytes: Buffer.from('png'), label: 'QR code', caption: 'Scan it' };
  const transfer: [string, string][] = [['IBAN', 'DE89 3704']];

  const { html, text, attachments } = write([{ transfer, code }]);
  const without = write([{ transfer, code: null }]);

  expect(html).toContain('<img src="cid:transfer-code" alt="QR code"');
  expect(attachments).toEqual([
    { filename: 'transfer-code.png', content_type: 'image/png', bytes: code.bytes, cid: 'transfer-code' },
  ]);
  expect(text).toBe('IBAN: DE89 3704\n\nShop');
  expect(without.html).toContain('DE89 3704');
  expect([without.html.includes('cid:'), without.attachments]).toEqual([false, undefined]);
});
