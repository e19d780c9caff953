/** Formatted descriptions: HTML from merchants, reduced to harmless elements, because storefronts show it unchanged. */

import { createRequire } from 'node:module';
import { withoutHidden } from './hidden-characters.ts';

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
  onOpenTag: (name: string, attribs: Attributes) => void;
  exclusiveFilter: (frame: { tag: string; attribs: Attributes }) => boolean;
}
type Attributes = Partial<Record<string, string>>;

/** Loaded with the first formatted description, because many processes need none. */
const sanitizer = () => require('sanitize-html') as (html: string, options: Options) => string;

const TAGS = [
  ...'p br wbr hr h1 h2 h3 h4 h5 h6 div span blockquote pre section article'.split(' '),
  ...'b strong i em u s del ins small mark sub sup code kbd abbr cite q'.split(' '),
  ...'ul ol li dl dt dd table caption thead tbody tfoot tr th td colgroup col'.split(' '),
  ...'a img figure figcaption details summary'.split(' '),
];
const SPAN = ['colspan', 'rowspan'];
const ATTRIBUTES: Record<string, string[]> = {
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
const SCHEMES = ['http', 'https', 'mailto', 'tel'];
/** Elements that are removed with their content, which is not text for readers. */
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

/** Elements that are removed without a warning, because readers do not notice it. */
const UNSEEN = new Set('html body head meta link'.split(' '));

/** Replacements for elements of older editors and page builders. */
const RENAMED: Record<string, string> = {
  ...{ main: 'section', header: 'section', footer: 'section', nav: 'section', aside: 'section' },
  ...{ center: 'div', font: 'span', big: 'span', tt: 'code', strike: 's' },
};
/** Elements that lose their style and keep their content. */
const LOOKS = new Set(['center', 'big']);

export interface RichText {
  html: string | null;
  removed: string[];
  attributes: string[];
}

/** Cache of recent results, because an import sanitizes each description twice. */
const recent = new Map<string, RichText>();
let recentLength = 0;
const MOST_RECENT = 1_000_000;

/**
 * Removes everything that executes, embeds, tracks or styles. `html` is null if nothing is left. Sanitizing the result
 * again changes nothing.
 */
export function sanitizeHtml(html: string): RichText {
  const known = recent.get(html);
  if (known) return known;
  const made = sanitized(html);
  if (recentLength + html.length > MOST_RECENT) {
    recent.clear();
    recentLength = 0;
  }
  recent.set(html, made);
  recentLength += html.length;
  return made;
}

function sanitized(html: string): RichText {
  const removed = new Set<string>();
  const attributes = new Set<string>();
  let shown = html;
  // Removing an invisible character may change a URL, so the result is sanitized again.
  for (let rounds = 0; rounds < 4; rounds += 1) {
    const clean = sanitizer()(shown, optionsNoting(removed, attributes));
    shown = withoutHidden(clean, { lines: true }).trim();
    if (shown === clean) break;
    if (rounds === 3) shown = '';
  }
  return { html: shown || null, removed: [...removed].toSorted(), attributes: [...attributes].toSorted() };
}

function optionsNoting(removed: Set<string>, attributes: Set<string>): Options {
  return {
    allowedTags: TAGS,
    allowedAttributes: ATTRIBUTES,
    allowedSchemes: SCHEMES,
    allowedSchemesByTag: { img: ['https'] },
    allowProtocolRelative: false,
    nonTextTags: DROPPED_WHOLE,
    nestingLimit: 60,
    // Browsers do not show http images on https pages. Shops that wrote http or no scheme usually serve their images
    // with https too.
    transformTags: {
      ...Object.fromEntries(Object.entries(RENAMED).map(([from, to]) => [from, renamed(to)])),
      img: (tagName, attribs) => ({ tagName, attribs: withSecure(attribs, 'src') }),
      a: (tagName, attribs) => ({ tagName, attribs: withSecure(attribs, 'href', /^\/\/(?=\w)/) }),
    },
    onOpenTag: (name, attribs) => {
      const kept = RENAMED[name] ?? name;
      if (LOOKS.has(name)) removed.add(name);
      if (leadsElsewhere(attribs.href)) attributes.add('href');
      if (TAGS.includes(kept)) {
        for (const attribute of Object.keys(attribs)) if (!isKept(kept, attribute)) attributes.add(attribute);
      } else if (!UNSEEN.has(name) && !name.includes(':')) removed.add(name);
    },
    exclusiveFilter: ({ tag, attribs }) => {
      const isEmpty = tag === 'img' && !attribs.src;
      if (isEmpty) removed.add('img');
      return isEmpty;
    },
  };
}

/** Whether a URL has a scheme that is not allowed. */
function leadsElsewhere(address: string | undefined): boolean {
  const scheme = /^\s*([a-z][a-z0-9+.-]*):/i.exec(address ?? '')?.[1];
  return scheme !== undefined && !SCHEMES.includes(scheme.toLowerCase());
}

const renamed = (tagName: string) => (_: string, attribs: Attributes) => ({ tagName, attribs });

function isKept(name: string, attribute: string): boolean {
  return [ATTRIBUTES[name], ATTRIBUTES['*']].some((kept) => kept?.includes(attribute));
}

function withSecure(attribs: Attributes, name: string, start = /^(?:http:)?\/\/(?=\w)/i): Attributes {
  const address = attribs[name]?.trim();
  return address ? { ...attribs, [name]: address.replace(start, 'https://') } : attribs;
}
