import type { ValidationErrorItem } from '@commerce-backend/spec';
import { hiddenCharacterIn, mapTexts } from '../../shop/hidden-characters.ts';
import type { Operation } from './contract.ts';

const MAX_MISTAKES = 50;
const READ_FROM_FILES: Operation['id'][] = [
  'dashboard.importCustomers',
  'dashboard.importOrders',
  'dashboard.importProducts',
  'sync.upsertProducts',
  'dashboard.matchTransfers',
];

/**
 * Reports invisible characters in the texts of a request body. Imports are exempt, because they remove such characters
 * with a warning.
 */
export function hiddenMistakes({ id }: Operation, body: unknown): ValidationErrorItem[] {
  if (body === undefined || READ_FROM_FILES.includes(id)) return [];
  const mistakes: ValidationErrorItem[] = [];
  mapTexts(body, (text, place, lines) => {
    const code_point = hiddenCharacterIn(text, { lines });
    if (code_point && mistakes.length < MAX_MISTAKES) {
      const msg = `Remove ${code_point}, a control or invisible character.`;
      mistakes.push({ loc: ['body', ...place], msg, type: 'hidden_character', ctx: { code_point } });
    }
    return text;
  });
  return mistakes;
}
