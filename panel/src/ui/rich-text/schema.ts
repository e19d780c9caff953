import { getSchema } from '@tiptap/core';
import { DOMSerializer, type Node as DocumentNode, DOMParser as DocumentParser } from '@tiptap/pm/model';
import { StarterKit } from '@tiptap/starter-kit';

export const EXTENSIONS = [
  StarterKit.configure({
    // The trailing node would add an empty paragraph to the description.
    trailingNode: false,
    link: { openOnClick: false, autolink: false, HTMLAttributes: { target: null, rel: null, class: null } },
  }),
];

const schema = getSchema(EXTENSIONS);

/** Parses HTML without loading its images or running its scripts. */
export function bodyOf(html: string): HTMLElement {
  return new DOMParser().parseFromString(html, 'text/html').body;
}

/** The document as the HTML to store: empty for an empty document, and without paragraphs around list items. */
export function htmlOf(document_: DocumentNode): string {
  if (document_.childCount === 1 && document_.firstChild?.type.name === 'paragraph' && document_.content.size === 2) {
    return '';
  }
  const body = bodyOf('');
  body.append(DOMSerializer.fromSchema(document_.type.schema).serializeFragment(document_.content, { document }));
  for (const item of body.querySelectorAll('li')) {
    const [first, ...others] = item.children;
    const isSimple = others.every(({ tagName }) => tagName === 'UL' || tagName === 'OL');
    if (first?.tagName === 'P' && isSimple) first.replaceWith(...first.childNodes);
  }
  return body.innerHTML;
}

/** Parses and serializes the HTML as the visual editor does. */
export function throughEditor(html: string): string {
  return htmlOf(DocumentParser.fromSchema(schema).parse(bodyOf(html)));
}
