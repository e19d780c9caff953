import { withoutHidden } from './hidden-characters.ts';

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/**
 * A text escaped for HTML, between tags or in a quoted attribute, of a page or a mail. Hidden characters are left out: texts
 * that were stored before such characters were refused may hold them.
 */
export function escapeHtml(text: string): string {
  return withoutHidden(text, { lines: true }).replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
