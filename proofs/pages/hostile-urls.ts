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
  '\r\n',
  ...'\t\n\r\0 \\/@:#?%.;&"\'<|^`',
  ...'%00 %09 %0d%0a %20 %23 %2e %2f %3a %3f %40 %5c %252f %25%32%66'.split(' '),
  ...'\u00a0\u00ad\u200b\u200d\u202e\u2028\u2044\u2060\u3002\ufe52\uff0f\uff0e\uff1a\uff20\u2100\u2488\ufeff\ud800ßıK𝕤',
];

/**
 * URLs built from an allowed origin (`{o}`) with its host (`{h}`), and a foreign origin (`{f}`) with its host (`{e}`).
 */
const PATTERNS = `
  {o} {o}/ {o}/thanks?a=b%20c#d {o}/%2e%2e//x {o}/@x {o}?x {o}#x {o}/ä?ö=%00
  https:{h}/ https:/{h}/ https:///{h}/ //{h}/ /{h} {h} https://{h}. https://{h}./
  {f} {f}/{o} {f}?{o} {f}#{o} {f}/.{h} https://{h}@{e}/ https://{h}:x@{e}/
  {o}@{e}/ {o}:443@{e}/ {o}%40{e}/ {o}.{e}/ {o}{e}/ https://{e}.{h}/ {o}-{e}/
  {o}\\@{e}/ {o}\\.{e}/ https:\\\\{h}\\x https:/\\{e}/{h} https://{e}\\@{h}/ \\\\{e}/
  https://@{h}/ https://:@{h}/ https://user@{h}/ https://user:pass@{h}/ https://%20@{h}/ {o}:@x/
  {o}:444/ {o}:0/ {o}:00443/ {o}:443/ {o}:65536/ {o}:/ {o}:４４３/ {o}:-1/
  {o}/%0d%0aLocation:%20{f} {o}/,{f} {o}/?next={f} {o}/%255c{f}
  https://xn--{h}/ https://www.{h} https://{h}:443.{h}/
  / // . # ? https: https:// https://[ https://[::1]/ https://127.1/ https://0x7f.1/ https://2130706433/
  http://localhost/ http://localhost:3000/ https://localhost/ null * {o}/'><img/src=x> \${{o}} {{{o}}}
`
  .trim()
  .split(/\s+/);

const SCHEMES = 'javascript data vbscript blob file ftp ws wss about intent view-source HTTP x'.split(' ');

/** URLs that contain whitespace, or changed or repeated characters. */
function oddUrls(o: string, h: string, f: string): string[] {
  const lookalikes = [
    ['a', 'а'],
    ['o', 'ο'],
    ['e', 'е'],
    ['.', '。'],
    ['.example', '.exаmple'],
  ] as const;
  return [
    ...['', ' ', ` ${o}`, `${o} `, `\t${o}`, `${o}\n`, `\0${o}`, `${o}/ ${f}`, `${o}\t/`, `${o}: 443/`],
    ...[o.replace('//', '/\t/'), o.replace('s:', 's\n:'), o.replace('https', 'http'), o.toUpperCase()],
    ...[`${o}/\r\nLocation: ${f}`, `${o}/; url=${f}`, `${o}/"; url="${f}`, '[object Object]'],
    ...[encodeURIComponent(o), encodeURIComponent(encodeURIComponent(f)), `${o}/?next=${encodeURIComponent(f)}`],
    ...[
      `${o}/${'a'.repeat(2_010)}`,
      `${o}/${'a'.repeat(3_000)}`,
      `${o}/${'ä'.repeat(1_000)}`,
      `${o}/?${'%'.repeat(900)}`,
    ],
    ...[`<a href="${o}">`, `${o}/<script>alert(1)</script>`, `${o}/" onclick="alert(1)`],
    ...lookalikes.map(([letter, other]) => `https://${h.replace(letter, other)}/`),
    ...SCHEMES.flatMap((scheme) => [`${scheme}:${o}`, `${scheme}://${h}/`, `${scheme}:alert(1)//${o}`]),
  ];
}

function tricks(o: string, f: string): string[] {
  const parts: Record<string, string> = { o, h: new URL(o).host, f, e: new URL(f).host };
  const filled = PATTERNS.map((pattern) => pattern.replaceAll(/\{([ohfe])\}/g, (_, part: string) => parts[part] ?? ''));
  return [...filled, ...oddUrls(o, new URL(o).host, f)];
}

/**
 * Returns `count` different URLs: a random choice of tricks, and URLs with one or two SNAGS at random
 * places.
 */
export function hostileAddresses(chance: Chance, { own, foreign }: Cast, count: number): string[] {
  const played = own.flatMap((o) => foreign.flatMap((f) => tricks(o, f)));
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
