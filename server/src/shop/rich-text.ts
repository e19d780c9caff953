import { createRequire } from 'node:module';
import { withoutHidden } from './hidden-characters.ts';

/**
 * Formatted descriptions: HTML of a merchant that storefronts show as it is, so that only what is harmless anywhere is kept.
 */

const require = createRequire(import.meta.url);

interface Options {
  allowedTags: string[];
  allowedAttributes: Record<string, string[]>;
  allowedSchemes: string[];
  allowedSchemesByTag: Record<string, string[]>;
  allowProtocolRelative: boolean;
  nonTextTags: string[];
  nestingLimit: number;
  transformTags: Record<string, (tagName: string, attribs: Attributes) => { tagName: string; attribs: Attributes }>;
  onOpenTag: (name: string) => void;
  exclusiveFilter: (frame: { tag: string; attribs: Attributes }) => boolean;
}
type Attributes = Partial<Record<string, string>>;

/** Loaded when the first one comes: many processes never see one. */
const sanitizer = () => require('sanitize-html') as (html: string, options: Options) => string;

const TAGS = [
  ...'p br hr h1 h2 h3 h4 h5 h6 div span blockquote pre section article'.split(' '),
  ...'b strong i em u s del ins small mark sub sup code kbd abbr cite q'.split(' '),
  ...'ul ol li dl dt dd table caption thead tbody tfoot tr th td colgroup col'.split(' '),
  ...'a img figure figcaption details summary'.split(' '),
];
const SPAN = ['colspan', 'rowspan'];
const ATTRIBUTES = {
  a: ['href', 'title'],
  abbr: ['title'],
  img: ['src', 'alt', 'title', 'width', 'height'],
  ol: ['start', 'reversed', 'type'],
  li: ['value'],
  td: SPAN,
  th: [...SPAN, 'scope'],
  col: ['span'],
  colgroup: ['span'],
  details: ['open'],
  '*': ['lang', 'dir'],
};
/** Whose contents are no text for a reader, either. */
const DROPPED_WHOLE = [
  'script',
  'style',
  'textarea',
  'option',
  'noscript',
  'template',
  'svg',
  'math',
  'title',
  'iframe',
];

/** Elements that only wrap or style what they contain: without them nothing that a reader sees is missing. */
const UNSEEN = new Set(
  'font center html body head meta link tbody main header footer nav aside big tt strike'.split(' '),
);

/** A formatted description as it is kept, and the names of the elements that were removed from it. */
export interface RichText {
  html: string | null;
  removed: string[];
}

/** The HTML with nothing in it that runs, frames, tracks or styles; null when nothing is left. Its own result stays the same. */
export function sanitizeHtml(html: string): RichText {
  const removed = new Set<string>();
  let shown = html;
  // Without an invisible character an address may be another: what is left of it is looked at again.
  for (let rounds = 0; rounds < 4; rounds += 1) {
    const clean = sanitizer()(shown, optionsNoting(removed));
    shown = withoutHidden(clean, { lines: true }).trim();
    if (shown === clean) break;
    if (rounds === 3) shown = '';
  }
  return { html: shown || null, removed: [...removed].toSorted() };
}

function optionsNoting(removed: Set<string>): Options {
  return {
    allowedTags: TAGS,
    allowedAttributes: ATTRIBUTES,
    allowedSchemes: ['http', 'https', 'mailto', 'tel'],
    allowedSchemesByTag: { img: ['https'] },
    allowProtocolRelative: false,
    nonTextTags: DROPPED_WHOLE,
    nestingLimit: 60,
    // A page on https shows no other pictures, and shops that wrote http or left it open have them there, too.
    transformTags: {
      img: (tagName, attribs) => ({ tagName, attribs: withSecure(attribs, 'src') }),
      a: (tagName, attribs) => ({ tagName, attribs: withSecure(attribs, 'href', /^\/\/(?=\w)/) }),
    },
    onOpenTag: (name) => {
      if (!TAGS.includes(name) && !UNSEEN.has(name) && !name.includes(':')) removed.add(name);
    },
    exclusiveFilter: ({ tag, attribs }) => {
      const isEmpty = tag === 'img' && !attribs.src;
      if (isEmpty) removed.add('img');
      return isEmpty;
    },
  };
}

function withSecure(attribs: Attributes, name: string, start = /^(?:http:)?\/\/(?=\w)/i): Attributes {
  const address = attribs[name]?.trim();
  return address ? { ...attribs, [name]: address.replace(start, 'https://') } : attribs;
}
