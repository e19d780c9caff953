import { expect, test } from 'vitest';
import { languageFor } from '../../language/language.ts';
import { NO_BRAND, NO_LEGAL } from '../merchant/brand.ts';
import { render } from './rendering.ts';

const language = languageFor('en', 'UTC');
const FRONT = { site_id: 'x', brand: NO_BRAND, legal: NO_LEGAL, withdrawal_page: false };
const BASE = 'https://shop.example';

test('escapes texts of merchants and customers in mails, and keeps them out of mail headers', () => {
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
  expect(html).toContain('<p>Muggnp<br>next</p>');
  expect(html).toContain('<tr><th>Name</th><td>ab</td></tr>');
});

test('formats names and values by language in plain-text mails, and omits missing amounts', () => {
  const items = [{ name: 'Mug', detail: '1', amount: null, picture: null }];
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
  expect(of(true).html).toContain('<a href="https://shop.example/sites/x/withdraw">Withdraw from contract here</a>');
  expect(of(false).text).not.toContain('withdraw');
});
