import { type Dictionary, LANGUAGES, type PanelLanguage, panelLanguage, setLanguage } from './texts.ts';

const STORED_AS = 'panel-language';

const DICTIONARIES: Record<Exclude<PanelLanguage, 'en'>, () => Promise<{ default: Dictionary }>> = {
  de: () => import('./de.json'),
  fr: () => import('./fr.json'),
};

/** Loads the stored language, or the one that the browser prefers. Without a connection, the texts are English. */
export async function loadLanguage(): Promise<void> {
  const language = stored() ?? preferred();
  if (language === 'en') return;
  try {
    setLanguage(language, (await DICTIONARIES[language]()).default);
    document.documentElement.lang = language;
  } catch (error) {
    console.error(error);
  }
}

/** Stores the member's language and reloads the page in it, unless it is already shown. */
export function adoptLanguage(code: string): void {
  const language = known(code);
  if (language === undefined || (language === panelLanguage() && stored() === undefined) || language === stored())
    return;
  try {
    localStorage.setItem(STORED_AS, language);
  } catch {
    // If the browser allows no storage, the panel keeps the browser's language.
    return;
  }
  window.location.reload();
}

function stored(): PanelLanguage | undefined {
  try {
    return known(localStorage.getItem(STORED_AS) ?? '');
  } catch {
    return undefined;
  }
}

function preferred(): PanelLanguage {
  for (const tag of navigator.languages) {
    const language = known(tag.slice(0, 2));
    if (language) return language;
  }
  return 'en';
}

function known(code: string): PanelLanguage | undefined {
  return (Object.keys(LANGUAGES) as PanelLanguage[]).find((language) => language === code);
}
