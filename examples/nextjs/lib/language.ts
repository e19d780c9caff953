import { notFound } from 'next/navigation';
import { isLanguage, type Language } from './words.ts';

/** The language in the path. An unknown one is a page that does not exist. */
export async function languageOf(params: Promise<{ lang: string }>): Promise<Language> {
  const { lang } = await params;
  return isLanguage(lang) ? lang : notFound();
}
