import { withoutHidden } from './hidden-characters.ts';

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/**
 * Escapes text for HTML in a page or mail, between tags or in a quoted attribute. Removes hidden characters, because
 * texts stored by older versions may contain them.
 */
export function escapeHtml(text: string): string {
  return withoutHidden(text, { lines: true }).replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
