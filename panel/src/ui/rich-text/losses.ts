import { bodyOf, throughEditor } from './schema.ts';

/** Elements within a text. All others are blocks. */
const INLINE = new Set(
  'a abbr b cite code del em i ins kbd mark q s small span strong sub sup u font big strike tt label time'.split(' '),
);
const LEAVES = new Set(['br', 'hr', 'img', 'wbr', 'input']);
/** Two names of the same element. */
const SAME: Record<string, string> = { b: 'strong', i: 'em' };

const TAG = /<[a-z][^>]*>/gi;
/** Attributes that the Content-Security-Policy blocks. Browsers report an error as soon as a script parses them. */
const BLOCKED = /\s(style|on[a-z]+)\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]*)/gi;

/** Removes the attributes that browsers would report from pasted HTML. */
export function withoutBlocked(html: string): string {
  return html.replaceAll(TAG, (tag) => tag.replaceAll(BLOCKED, ''));
}

/**
 * Returns the elements and attributes of a description that the visual editor would lose, such as `table` or
 * `a[title]`. Returns an empty list if the description can be edited without a loss.
 */
export function lossesOf(html: string): string[] {
  const blocked = [...html.matchAll(TAG)].flatMap(([tag]) => [...tag.matchAll(BLOCKED)].map(([, name = '']) => name));
  if (blocked.length > 0) return [...new Set(blocked)];
  const [before, after] = [partsOf(html), partsOf(throughEditor(html))];
  if (before.join('') === after.join('')) return [];
  const namesIn = (text: string) => new Set(elementsOf(bodyOf(text)));
  const kept = namesIn(throughEditor(html));
  const lost = [...namesIn(html)].filter((name) => !kept.has(name));
  return lost.length > 0 ? lost : ['…'];
}

function elementsOf(body: HTMLElement): string[] {
  return [...body.querySelectorAll('*')].flatMap((element) => {
    const name = nameOf(element);
    return [name, ...element.getAttributeNames().map((attribute) => `${name}[${attribute}]`)];
  });
}

/**
 * The content as a list of blocks and texts. Each text is listed with the elements in which it is, in alphabetical
 * order, because `<b><i>` and `<i><b>` look the same. Spaces that a browser does not show are left out.
 */
function partsOf(html: string): string[] {
  const body = bodyOf(html);
  const parts: { tag?: string; marks?: string; text: string }[] = [];
  const add = (tag: string) => parts.push({ tag, text: tag });
  const walk = (node: Node, marks: string[], isPlain: boolean) => {
    if (node instanceof Text) {
      const text = isPlain ? node.data.replaceAll(/[ \t\r\n\f]+/g, ' ') : node.data;
      const own = [...new Set(marks)].toSorted().join('');
      const last = parts.at(-1);
      if (last && last.marks === own) last.text += text;
      else parts.push({ marks: own, text });
      return;
    }
    if (!(node instanceof Element)) return;
    const tag = `<${nameOf(node)}${attributesOf(node)}>`;
    if (LEAVES.has(node.localName)) return void add(tag);
    const isInline = INLINE.has(node.localName);
    // A span without attributes, and the only paragraph of a list item, do not change the appearance.
    const isEmpty = tag === '<span>' || isOnlyParagraph(node);
    if (!isInline && !isEmpty) add(tag);
    const inner = isInline && !isEmpty ? [...marks, tag] : marks;
    for (const child of node.childNodes) walk(child, inner, isPlain && node.localName !== 'pre');
    if (!isInline && !isEmpty) add(`</${nameOf(node)}>`);
  };
  const isLine = [...body.childNodes].every((node) => !(node instanceof Element) || isInText(node));
  if (isLine && body.hasChildNodes()) add('<p>');
  for (const child of body.childNodes) walk(child, [], true);
  if (isLine && body.hasChildNodes()) add('</p>');
  return parts.flatMap(({ tag, marks, text }, at) => {
    if (tag !== undefined) return [tag];
    const start = isBlock(parts[at - 1]?.tag) ? text.replace(/^[ \n]+/, '') : text;
    const shown = isBlock(parts[at + 1]?.tag) ? start.replace(/[ \n]+$/, '') : start;
    return shown === '' ? [] : [`${marks}${JSON.stringify(shown)}`];
  });
}

function isInText(element: Element): boolean {
  return INLINE.has(element.localName) || (LEAVES.has(element.localName) && element.localName !== 'hr');
}

/** Whether spaces next to the tag are not shown: the tag begins or ends a block, or breaks the line. */
function isBlock(tag: string | undefined): boolean {
  return tag === undefined || !/^<(?:img|wbr|input)/.test(tag);
}

function isOnlyParagraph({ localName, parentElement, previousElementSibling }: Element): boolean {
  if (localName !== 'p' || parentElement?.localName !== 'li' || previousElementSibling) return false;
  return [...parentElement.children].slice(1).every((other) => other.localName === 'ul' || other.localName === 'ol');
}

function nameOf({ localName }: Element): string {
  return SAME[localName] ?? localName;
}

function attributesOf(element: Element): string {
  const all = element.getAttributeNames().map((name) => ` ${name}=${JSON.stringify(element.getAttribute(name))}`);
  return all.toSorted().join('');
}
