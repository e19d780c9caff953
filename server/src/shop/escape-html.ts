import { withoutHidden } from './hidden-characters.ts';

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/**
 * Escapes text for HTML, between tags or in a quoted attribute, of a page or a mail. Removes hidden characters, because
 * older stored texts may contain them.
 */
export function escapeHtml(text: string): string {
  return withoutHidden(text, { lines: true }).replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
