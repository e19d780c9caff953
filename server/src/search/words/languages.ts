import type { Token } from './tokens.ts';

/** The languages that sentences are understood in. */
export type Language = 'en' | 'de' | 'fr';

const words = (list: string) => new Set(list.split(/\s+/));

/** Words that tell a language. Normalized, without accents; those that are common in another one are left out. */
const TELLING: Record<Exclude<Language, 'en'>, Set<string>> = {
  de: words(`der das den dem des ein eine einen einem einer eines fur mit ohne und oder nicht unter uber ich wir suche suchen
    brauche brauchen mochte mochten hatte will bitte bis ab auf aus von zum zur zwischen mindestens hochstens maximal weniger
    mehr als etwas irgendwas irgendetwas etwa ungefahr circa kein keine keinen keiner keines nichts gibt habt haben mein meine
    meinen meiner große grosse lager sofort lieferbar euro im am beim gerne gern auch noch nur nach wie welche welcher welches
    schwarz schwarze schwarzer schwarzes schwarzen blaue blauer blaues blauen rote roter rotes roten grun grune gruner
    grunes grunen weiß weiße weißer weißes weißen weiss graue grauer gelbe gelber zwei drei vier funf sechs sieben zehn zwolf
    gunstig gunstige gunstiges gunstiger billig billige billiges gunstigste billigste geschenk stuck zusammen insgesamt außer
    ausser weder ist sind gerade derzeit aktuell reduzierte reduzierter reduziertes reduzierten reduziert angebot angebote artikel produkte
    gesamtbudget summe insgesamt hochstpreis jeweils dunkelblau hellblau gesucht sofort verfugbar kauf bestell mir dir ihr gibts hab wo fuhrt`),
  fr: words(`un une les des du pour avec sans et ou je nous cherche cherchons voudrais veux besoin moins entre taille pas cher
    chere chers au aux sur dans est sont que qui quoi faire quelque chose avez vous mon ma mes noir noire bleu bleue rouge vert verte blanc
    blanche gris grise jaune deux trois quatre cinq sept huit neuf dix euros jusqua environ maximum ni sauf cadeau achete achetez commande moi montre petit petite pourquoi combien le la
    de en l d qu j jusqu`),
};

/** In which language a sentence is, if its words tell; else the shop's own. */
export function languageOf(tokens: Token[], shopLanguage: Language): Language {
  const count = (language: keyof typeof TELLING) =>
    tokens.reduce((sum, { text }) => sum + (TELLING[language].has(text) ? weightOf(text) : 0), 0);
  const [german, french] = [count('de'), count('fr')];
  if (Math.max(german, french) < 1) return isEnglish(tokens) ? 'en' : shopLanguage;
  const english = tokens.reduce((sum, { text }) => sum + (ENGLISH.has(text) ? 1 : 0), 0);
  if (english >= Math.max(german, french)) return 'en';
  return german === french && shopLanguage === 'de' ? 'de' : german > french ? 'de' : 'fr';
}

const WEAK = words('de en le la des am im euro euros maximum circa will an dem den par ou pas mes sept entre et l d');
const ENGLISH =
  words(`the a for with without under over i my you your is are do have any some that this which who of and not
  more less than at most least between below above to up from looking want need show me find please it`);

function weightOf(text: string): number {
  return WEAK.has(text) ? 0.5 : 1;
}

function isEnglish(tokens: Token[]): boolean {
  return tokens.some(({ text }) => ENGLISH.has(text));
}

/** The language of a locale such as `de-AT`. */
export function languageOfLocale(locale: string | undefined): Language {
  const language = locale?.slice(0, 2);
  return language === 'de' || language === 'fr' ? language : 'en';
}
