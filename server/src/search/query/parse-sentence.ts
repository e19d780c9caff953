import type { SearchDb } from '../search-db.ts';
import { parseInCatalog } from './disambiguate.ts';
import type { ParsedQuery } from './parsed-query.ts';
import { readLanguage } from './shop-language.ts';
import { inShopWords } from './shop-words.ts';

/** What a sentence asks for, in the words of the shop. Two statements; one more for an ambiguous name. */
export async function parseSentence(db: SearchDb, sentence: string): Promise<ParsedQuery> {
  const language = await readLanguage(db);
  return inShopWords(db, sentence, await parseInCatalog(db, sentence, { isSentence: true, language }));
}
