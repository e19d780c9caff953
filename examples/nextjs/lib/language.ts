import { notFound } from 'next/navigation';
import { isLanguage, type Language } from './words.ts';

/** The language in the path. Shows the page for 404 if the storefront does not have the language. */
export async function languageOf(params: Promise<{ lang: string }>): Promise<Language> {
  const { lang } = await params;
  return isLanguage(lang) ? lang : notFound();
}
