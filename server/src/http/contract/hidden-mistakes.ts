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
 * Reports texts of a body that contain invisible characters. Files that other programs have written are not refused for them:
 * there they are removed.
 */
export function hiddenMistakes({ id }: Operation, body: unknown): ValidationErrorItem[] {
  if (body === undefined || READ_FROM_FILES.includes(id)) return [];
  const mistakes: ValidationErrorItem[] = [];
  mapTexts(body, (text, place, lines) => {
    const code_point = hiddenCharacterIn(text, { lines });
    if (code_point && mistakes.length < MAX_MISTAKES) {
      const msg = `${code_point} does not belong in this text: it is a control character or cannot be seen. Remove it.`;
      mistakes.push({ loc: ['body', ...place], msg, type: 'hidden_character', ctx: { code_point } });
    }
    return text;
  });
  return mistakes;
}
