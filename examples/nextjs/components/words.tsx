'use client';

import { createContext, type ReactNode, useContext } from 'react';
import { type Key, type Language, money, say } from '../lib/words.ts';

const Chosen = createContext<Language>('en');

export function InLanguage({ language, children }: { language: Language; children: ReactNode }) {
  return <Chosen value={language}>{children}</Chosen>;
}

/** The language of the page, its texts, and a function that formats amounts in that language. */
export function useWords() {
  const language = useContext(Chosen);
  return {
    language,
    t: (key: Key, values?: Record<string, string | number>) => say(language, key, values),
    money: (amount: string, currency: string) => money(language, amount, currency),
  };
}
