/** URLs that look like URLs of a shop, or that two parsers read differently. */

import type { Chance } from '../testing/random.ts';

/** The origins in a proof. */
export interface Cast {
  /** Origins to which a shop may redirect. */
  own: string[];
  /** Origins to which a shopper must never be redirected. */
  foreign: string[];
}

/** Characters that a parser may skip, misread, or treat as the end of a part. */
const SNAGS = [
  ...[
    '\t',
    '\n',
    '\r',
    '\r\n',
    '\0',
    ' ',
    '\\',
    '/',
    '@',
    ':',
    '#',
    '?',
    '%',
    '.',
    ';',
    '&',
    '"',
    "'",
    '<',
    '|',
    '^',
    '`',
  ],
  ...['%00', '%09', '%0d%0a', '%20', '%23', '%2e', '%2f', '%3a', '%3f', '%40', '%5c', '%252f', '%25%32%66'],
  ...[
    '\u00a0',
    '\u00ad',
    '\u200b',
    '\u200d',
    '\u202e',
    '\u2028',
    '\u2044',
    '\u2060',
    '\u3002',
    '\ufe52',
    '\uff0f',
    '\uff0e',
  ],
  ...['\uff1a', '\uff20', '\u2100', '\u2488', '\ufeff', '\ud800', 'ß', 'ı', 'K', '𝕤'],
];

const SCHEMES = [
  'javascript',
  'data',
  'vbscript',
  'blob',
  'file',
  'ftp',
  'ws',
  'wss',
  'about',
  'intent',
  'view-source',
  'HTTP',
  'x',
];

/** Each trick builds URLs from an allowed origin `o` with the host `h`, and a foreign origin `f` with the host `e`. */
const TRICKS: ((o: string, h: string, f: string, e: string) => string[])[] = [
  (o) => [
    o,
    `${o}/`,
    `${o}/thanks?a=b%20c#d`,
    `${o}/%2e%2e//x`,
    `${o}/@x`,
    `${o}?x`,
    `${o}#x`,
    o.toUpperCase(),
    `${o}/ä?ö=%00`,
  ],
  (_o, h) => [
    `https:${h}/`,
    `https:/${h}/`,
    `https:///${h}/`,
    `//${h}/`,
    `/${h}`,
    h,
    `https://${h}.`,
    `https://${h}./`,
  ],
  (o, h) => SCHEMES.flatMap((scheme) => [`${scheme}:${o}`, `${scheme}://${h}/`, `${scheme}:alert(1)//${o}`]),
  (o, h, f, e) => [
    f,
    `${f}/${o}`,
    `${f}?${o}`,
    `${f}#${o}`,
    `${f}/.${h}`,
    `https://${h}@${e}/`,
    `https://${h}:x@${e}/`,
  ],
  (o, h, _f, e) => [
    `${o}@${e}/`,
    `${o}:443@${e}/`,
    `${o}%40${e}/`,
    `${o}.${e}/`,
    `${o}${e}/`,
    `https://${e}.${h}/`,
    `${o}-${e}/`,
  ],
  (o, h, _f, e) => [
    `${o}\\@${e}/`,
    `${o}\\.${e}/`,
    `https:\\\\${h}\\x`,
    `https:/\\${e}/${h}`,
    `https://${e}\\@${h}/`,
    `\\\\${e}/`,
  ],
  (o, h) => [
    `https://@${h}/`,
    `https://:@${h}/`,
    `https://user@${h}/`,
    `https://user:pass@${h}/`,
    `https://%20@${h}/`,
    `${o}:@x/`,
  ],
  (o) => [
    `${o}:444/`,
    `${o}:0/`,
    `${o}:00443/`,
    `${o}:443/`,
    `${o}:65536/`,
    `${o}:/`,
    `${o}: 443/`,
    `${o}:４４３/`,
    `${o}:-1/`,
  ],
  (o, _h, f) => [
    `${o}/\r\nLocation: ${f}`,
    `${o}/%0d%0aLocation:%20${f}`,
    `${o}/; url=${f}`,
    `${o}/"; url="${f}`,
    `${o}/,${f}`,
  ],
  (o, _h, f) => [
    ` ${o}`,
    `${o} `,
    `\t${o}`,
    `${o}\n`,
    `\0${o}`,
    `${o}/ ${f}`,
    `${o}\t/`,
    o.replace('//', '/\t/'),
    o.replace('s:', 's\n:'),
  ],
  (_o, h) =>
    [h.replace('a', 'а'), h.replace('o', 'ο'), `xn--${h}`, h.replace('.', '。'), h.replace('e', 'е')].map(
      (x) => `https://${x}/`,
    ),
  (o, h) => [
    o.replace('https', 'http'),
    `https://${h.replace('.example', '.exаmple')}`,
    `https://www.${h}`,
    `https://${h}:443.${h}/`,
  ],
  (o, _h, f) => [
    encodeURIComponent(o),
    encodeURIComponent(encodeURIComponent(f)),
    `${o}/?next=${encodeURIComponent(f)}`,
    `${o}/%255c${f}`,
  ],
  (o) => [
    `${o}/${'a'.repeat(2_010)}`,
    `${o}/${'a'.repeat(3_000)}`,
    `${o}/${'ä'.repeat(1_000)}`,
    `${o}/?${'%'.repeat(900)}`,
  ],
  () => [
    '',
    ' ',
    '/',
    '//',
    '.',
    '#',
    '?',
    'https:',
    'https://',
    'https://[',
    'https://[::1]/',
    'https://127.1/',
    'https://0x7f.1/',
  ],
  () => [
    'http://localhost/',
    'http://localhost:3000/',
    'https://localhost/',
    'https://2130706433/',
    'null',
    '[object Object]',
    '*',
  ],
  (o) => [
    `<a href="${o}">`,
    `${o}/<script>alert(1)</script>`,
    `${o}/" onclick="alert(1)`,
    `${o}/'><img src=x>`,
    `\${${o}}`,
    `{{${o}}}`,
  ],
];

/**
 * Returns `count` different URLs: a random choice of the URLs of all tricks, and URLs with one or two SNAGS at random
 * places.
 */
export function hostileAddresses(chance: Chance, { own, foreign }: Cast, count: number): string[] {
  const played = own.flatMap((o) =>
    foreign.flatMap((f) => TRICKS.flatMap((trick) => trick(o, new URL(o).host, f, new URL(f).host))),
  );
  const all = new Set(chance.some([...new Set(played)], Math.ceil(count * 0.6)));
  while (all.size < count) {
    let text = `${chance.of([...own, ...own, ...foreign])}${chance.of(['', '/', '/thanks?a=b', '/#x'])}`;
    for (let snags = 1 + Math.floor(chance.next() * 2); snags > 0; snags -= 1) {
      const at = Math.floor(chance.next() * (text.length + 1));
      text = text.slice(0, at) + chance.of(SNAGS) + text.slice(at + (chance.next() < 0.3 ? 1 : 0));
    }
    all.add(text);
  }
  return [...all];
}
