import { withoutHidden } from './hidden-characters.ts';

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/**
 * Escapes text for HTML, between tags or in a quoted attribute. Removes hidden characters, which texts stored by older
 * versions may contain.
 */
export function escapeHtml(text: string): string {
  return withoutHidden(text, { lines: true }).replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
