import { Parser } from 'htmlparser2';

const TAG = /<[a-z!/]/i;
const PARAGRAPHS = new Set('p h1 h2 h3 h4 h5 h6 ul ol dl table blockquote pre section article'.split(' '));
const LINES = new Set('br div li tr dt dd hr'.split(' '));
const CELLS = new Set(['td', 'th']);
const UNSEEN = new Set('script style template noscript iframe svg head title'.split(' '));

/**
 * Returns the visible text of HTML: removes tags, scripts and styles, decodes entities, collapses spaces, and puts
 * paragraphs and list items on separate lines. A text without tags keeps its line breaks.
 */
export function textOfHtml(html: string): string {
  const plain = !TAG.test(html);
  const parts: string[] = [];
  let unseen = 0;
  const parser = new Parser({
    onopentag(name) {
      if (UNSEEN.has(name)) unseen++;
      parts.push(breakAt(name), name === 'li' ? '- ' : '');
    },
    ontext(text) {
      if (unseen > 0) return;
      parts.push(plain ? text.replace(/\r\n?/g, '\n') : text.replace(/\s+/g, ' '));
    },
    onclosetag(name) {
      if (UNSEEN.has(name)) unseen--;
      // Other closing tags do not break the line; otherwise every list item would be followed by an empty line.
      if (PARAGRAPHS.has(name) || name === 'div') parts.push(breakAt(name));
    },
  });
  parser.end(html);
  return parts
    .join('')
    .replace(/[\t\f\v\u00a0 ]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

function breakAt(tag: string): string {
  if (PARAGRAPHS.has(tag)) return '\n\n';
  if (LINES.has(tag)) return '\n';
  return CELLS.has(tag) ? ' ' : '';
}

/** Decodes entities such as `&trade;` in a one-line text. A `<` is an ordinary character. */
export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return textOfHtml(text.replaceAll('<', '&lt;')).replace(/\s+/g, ' ');
}

/** Escapes a text as HTML. `textOfHtml` returns the same text, apart from whitespace. */
export function htmlOfText(text: string): string {
  if (text === '') return '';
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const paragraphs = escaped.split(/\n{2,}/).map((paragraph) => `<p>${paragraph.replaceAll('\n', '<br />')}</p>`);
  return paragraphs.join('\n');
}
