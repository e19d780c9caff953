/** The texts of a product that are normalized when it is created, updated or imported. */

import { createRequire } from 'node:module';
import { ValidationError } from './errors.ts';
import { withoutHidden } from './hidden-characters.ts';
import { sanitizeHtml } from './rich-text.ts';

interface Texts {
  name?: string;
  description?: string;
  description_html?: string | null;
  tags?: string[];
}

/**
 * Trims the name, removes markup from the description (or derives it from the formatted one), and trims and
 * deduplicates the tags. Missing fields stay missing. Throws a ValidationError for a blank name; `loc` is the product's
 * path in the request.
 */
export function normalTexts({ name, description, description_html, tags }: Texts, loc: (string | number)[]): Texts {
  const html = description_html == null ? description_html : sanitizeHtml(description_html).html;
  return {
    name: name === undefined ? undefined : normalName(name, [...loc, 'name']),
    description: descriptionOf(description, description_html, loc),
    description_html: html,
    tags: tags && [...new Set(tags.map((tag) => tag.trim()).filter(Boolean))],
  };
}

function descriptionOf(text: string | undefined, html: string | null | undefined, loc: (string | number)[]) {
  if (text !== undefined) return plainText(text);
  if (html == null) return undefined;
  const plain = withoutHidden(textOfHtml(html), { lines: true });
  if (plain.length <= LONGEST_DESCRIPTION) return plain;
  const msg = `The text has ${plain.length} characters; the maximum for a description is ${LONGEST_DESCRIPTION}.`;
  throw new ValidationError([{ loc: [...loc, 'description_html'], msg, type: 'string_too_long' }]);
}

const LONGEST_DESCRIPTION = 65_535;

/** Converts a plain description to HTML paragraphs, in the form in which formatted descriptions are stored. */
export function paragraphsOf(text: string): string | null {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const paragraphs = escaped.split(/\n{2,}/).map((paragraph) => `<p>${paragraph.replaceAll('\n', '<br>')}</p>`);
  return text === '' ? null : sanitizeHtml(paragraphs.join('\n')).html;
}

/** Throws a ValidationError at `loc` for a blank name. */
export function normalName(name: string, loc: (string | number)[]): string {
  const trimmed = name.trim();
  if (trimmed) return trimmed;
  const msg = 'The name must not be blank.';
  throw new ValidationError([{ loc, msg, type: 'string_too_short', ctx: { min_length: 1 } }]);
}

const require = createRequire(import.meta.url);
/** Loaded with the first description that contains tags, because few processes need it. */
const htmlparser = () => require('htmlparser2') as typeof import('htmlparser2');

const PARAGRAPHS = new Set('p h1 h2 h3 h4 h5 h6 ul ol dl table blockquote pre section article'.split(' '));
const LINES = new Set('br div li tr dt dd hr'.split(' '));
const CELLS = new Set(['td', 'th']);
const UNSEEN = new Set('script style template noscript iframe svg head title'.split(' '));

/**
 * Converts a description that may be HTML to its visible text. Text without tags and entities stays unchanged. The
 * parser does not recurse, so deep nesting cannot overflow the stack.
 */
export function plainText(description: string): string {
  const markup = description.replaceAll(WORD_IN_BRACKETS, '&lt;$1&gt;');
  const tagged = hasTags(markup);
  if (!tagged && !/&[a-z#0-9]+;/i.test(description)) return description;
  return read(markup, tagged);
}

const HTML_ELEMENTS = `a abbr acronym address applet area article aside audio b base basefont bdi bdo bgsound big blink blockquote body br
  button canvas caption center cite code col colgroup data datalist dd del details dfn dialog dir div dl dt em embed fieldset figcaption
  figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe image img input ins kbd keygen label
  legend li link main map mark marquee math menu menuitem meta meter nav nobr noembed noframes noscript object ol optgroup option output
  p param picture plaintext pre progress q rb rp rt rtc ruby s samp script search section select slot small source span strike strong
  style sub summary sup svg table tbody td template textarea tfoot th thead time title tr track tt u ul var video wbr xmp`;
/**
 * A word in angle brackets that is not an HTML element, such as `<M8>`, is part of the text. With attributes it counts
 * as a tag.
 */
const WORD_IN_BRACKETS = new RegExp(
  `<(?!(?:${HTML_ELEMENTS.split(/\s+/).join('|')})>)([a-z][a-z0-9.,+-]{0,15})>`,
  'gi',
);

function textOfHtml(html: string): string {
  return read(html, hasTags(html));
}

function read(description: string, tagged: boolean): string {
  const parts: string[] = [];
  let unseen = 0;
  const { Parser } = htmlparser();
  const parser = new Parser({
    onopentag(name) {
      if (UNSEEN.has(name)) unseen += 1;
      parts.push(breakAt(name), name === 'li' ? '- ' : '');
    },
    ontext(text) {
      if (unseen === 0) parts.push(tagged ? text.replaceAll(/\s+/g, ' ') : text);
    },
    onclosetag(name) {
      if (UNSEEN.has(name)) unseen -= 1;
      // Only the opening tag breaks the line. Otherwise every list item would be a paragraph.
      if (PARAGRAPHS.has(name) || name === 'div') parts.push(breakAt(name));
    },
  });
  parser.end(description);
  const text = parts
    .join('')
    .replaceAll(/ +/g, ' ')
    .replaceAll(/ ?\n ?/g, '\n');
  return text.replaceAll(/\n{3,}/g, '\n\n').trim();
}

/** Scans the text once. A pattern for a whole tag would search for its end again from every `<`. */
function hasTags(text: string): boolean {
  const start = text.search(/<[a-z!/]/i);
  return start >= 0 && text.includes('>', start);
}

function breakAt(tag: string): string {
  if (PARAGRAPHS.has(tag)) return '\n\n';
  if (LINES.has(tag)) return '\n';
  return CELLS.has(tag) ? ' ' : '';
}
