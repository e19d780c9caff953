import { LRUCache } from 'lru-cache';
import sql from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import type { SearchDb } from '../search-db.ts';
import { type Language, languageOfLocale } from '../words/languages.ts';

/** Entries do not become outdated, because each change of the settings increments the catalogue version. */
const languages = new LRUCache<string, Language>({ max: 10_000 });

/**
 * The shop's language according to its settings. Sends one statement, or none if the language is cached for the current
 * catalogue version.
 */
export async function readLanguage(db: SearchDb): Promise<Language> {
  const key = `${db.siteId} ${db.catalogVersion}`;
  const known = db.catalogVersion === '' ? undefined : languages.get(key);
  if (known) return known;
  const settings = await db.one<RowOf<'site_settings', 'default_locale'>>(
    sql`select default_locale from site_settings where site_id = ${db.siteId}`,
  );
  const language = languageOfLocale(settings?.default_locale);
  if (db.catalogVersion !== '') languages.set(key, language);
  return language;
}
