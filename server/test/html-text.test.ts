import fc from 'fast-check';
import { expect, test } from 'vitest';
import { textOfHtml } from '../../cli/src/formats/html-text.ts';
import { plainText } from '../src/shop/plain-text.ts';

const PIECES = [
  ...[
    '<p>',
    '</p>',
    '<div>',
    '</div>',
    '<br>',
    '<ul>',
    '<li>',
    '</li>',
    '</ul>',
    '<h2>',
    '</h2>',
    '<hr/>',
    '<b>',
    '</b>',
  ],
  ...[
    '<table>',
    '<tr>',
    '<td>',
    '</td>',
    '</tr>',
    '</table>',
    '<style>',
    '</style>',
    '<script>',
    '</script>',
    '<a href="x">',
  ],
  ...[
    '&amp;',
    '&nbsp;',
    '&bull;',
    '&lt;b&gt;',
    '&unknown;',
    '<!-- note -->',
    '\u00a0',
    ' ',
    '\n',
    '\r\n',
    '\t',
    'word',
    'ü',
    '3 < 4',
  ],
];

/**
 * The CLI must convert HTML like the server, but has its own implementation: merchants install it without the server,
 * and the SDK and the contract, which both could import, should not contain an HTML parser.
 */
test('the CLI converts HTML to the same text as the server', () => {
  const html = fc.array(fc.constantFrom(...PIECES)).map((pieces) => `<p>${pieces.join('')}`);
  fc.assert(
    fc.property(html, (written) => {
      expect(textOfHtml(written)).toBe(plainText(written));
    }),
    { numRuns: 2_000 },
  );
});
