import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeEntities, htmlOfText, textOfHtml } from './html-text.ts';

test.each([
  ['<p>One</p>\n<p>Two &bull; three</p>', 'One\n\nTwo • three'],
  ['<ul><li>A</li><li>B<br/>C</li></ul>', '- A\n- B\nC'],
  ['<ul>\n<li>A\n<li>B\n</ul>', '- A\n- B'],
  ['<p>a</br>b</p>', 'a\nb'],
  ['<b>bold</b> and <i>thin</i>', 'bold and thin'],
  ['<table><tr><td>1</td><td>2</td></tr><tr><td>3</td></tr></table>', '1 2\n3'],
  ['<style>p{}</style><script>alert("<p>")</script>kept', 'kept'],
  ['Plain & simple, 3 < 4\nsecond line', 'Plain & simple, 3 < 4\nsecond line'],
  ['a&nbsp;b', 'a b'],
  ['', ''],
])('converts HTML to text: %j', (html, text) => {
  expect(textOfHtml(html)).toBe(text);
});

test('decodes the entities in a name, and keeps its angle brackets', () => {
  expect(decodeEntities('Mars HeatTech&trade;  Pullover')).toBe('Mars HeatTech™ Pullover');
  expect(decodeEntities('Cats &amp; dogs <3')).toBe('Cats & dogs <3');
});

test('converting a text to HTML and back leaves it unchanged', () => {
  const word = fc.string({ unit: 'grapheme', minLength: 1 }).map((text) => text.replace(/\s+/g, '') || '&lt;<b>');
  const line = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(' '));
  const text = fc.array(line, { maxLength: 4 }).chain((lines) => fc.constantFrom(lines.join('\n'), lines.join('\n\n')));
  fc.assert(
    fc.property(text, (written) => {
      expect(textOfHtml(htmlOfText(written))).toBe(written);
    }),
  );
});

test('keeps the text of deeply nested and broken markup', () => {
  const broken = `${'<p'.repeat(50_000)}${' '.repeat(200_000)}${'&amp'.repeat(50_000)}`;
  expect(textOfHtml(`${'<div>'.repeat(50_000)}kept${broken}`)).toBe('kept');
});
