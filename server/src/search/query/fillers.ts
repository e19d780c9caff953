import type { Language } from '../words/languages.ts';
import { phraseTable } from '../words/phrases.ts';

/** Words of a sentence that say nothing of the product; normalized, without accents. */

const words = (list: string) => list.trim().split(/\s+/);

const ENGLISH =
  words(`i im id ill ive me my mine myself we were us our ours you your yours youd youre he him his himself she her
  hers herself it its they them their this that thats these those there theres here is isnt are arent be been being was am do does
  did done dont doesnt have has had having can could cant will would wouldnt should may might must shall please pls plz
  thank thanks thx ty cheers thing things something somethings anything nothing everything someone somebody anybody anyone one ones some any all both
  each every also just only very really quite so too such rather maybe perhaps possibly ideally preferably like likes liked love loves
  loved enjoy enjoys want wants wanted wanting need needs needed looking look search searching seeking seek buy buying bought get gets getting got
  give gives giving given take find finds show shows showing see recommend recommends recommended suggest suggests suggestion
  suggestions help helps hi hello hey dear good nice great best perfect beautiful lovely kind kinds sort sorts type types who whom whose
  what whats which when where why how if whether then than as but or and not no about around with without for from to in on at by of
  the a an into onto out up while during because since stuff item items product products article articles option options
  choice choices goods offer offers sell sells selling carry order ordering purchase purchasing add put wondering wonder
  think thinking thought thanks advance much many lot lots morning evening afternoon today tomorrow instead another other
  others more else again ok okay well now next new fits fit goes go going use uses used using make made makes cost costs costing price priced
  prices pricing spend spending pay paying budget user users customer customers client query constraints filter filters
  retrieve return list display fetch recipient occasion interest interests keep keeps telling tell tells bring same stay stays remain remains keep keeps whole entire basically actually literally
  say says know let lets come comes guys guy everyone shop store yes sure right ready able suitable suited appropriate
  he she whod shes hes send sent deliver owner lover lovers fan fans youve weve theyve wed theyd hed itd thatd u ur btw lol pls reckon figure suppose hope hoping heyy heyyy hiya yo told tell asked simply
  ok both wondered curious checkout pair whatever whichever somewhere everywhere always often sometimes usually basically honestly`);

const GERMAN =
  words(`ich mir mich wir uns du dir dich ihr euch er sie es ihm ihn ihnen sich man mein meine meinen meinem meiner
  meines dein deine ihre ihren euer eure unser unsere der die das den dem des ein eine einen einem einer eines und oder aber auch
  noch nur schon doch mal bitte danke gern gerne etwas irgendwas irgendetwas was wer wie wo wann welche welcher welches welchen
  alles alle fur mit von vom zu zum zur aus auf an am bei beim im in ins nach um so sehr ist sind sein war waren hat haben habe habt hatte hatten
  gibt gabe suche suchen sucht brauche brauchen braucht mochte mochten will wollen wurde wurden kann konnen konnte konnt kaufe
  kaufen bestellen bestelle zeig zeige zeigen finde finden geben geht kostet kosten preis preise preislich teil teile ding dinge sache
  sachen artikel produkt produkte produkten artikeln sonst paar stuck mag magst liebt lieben hallo hi guten tag morgen abend da dort hier dass ob wenn als
  kauf bestell bestellt pack packe hol gegen davon bisschen ganze ganzen ganzer ganzes gesamte gesamten ja nein heute jetzt dann denn also vielleicht moglichst am liebsten schone schoner schones schonen gute guter gutes guten kleinigkeit kein
  keine keinen lust dessen deren passt sondern fuhren fuhrt leg passt passend passende passender euro hinzufugen lege legen warenkorb einkaufswagen andere anderen
  anderer anderes gerade derzeit aktuell gut womit worin worauf woran wozu jemand jemanden jemandem`);

const FRENCH =
  words(`je jai jaimerais me moi nous on tu te toi vous il elle ils elles lui leur se mon ma mes ton ta tes son sa ses notre
  votre vos le la les l un une des du de d au aux et ou mais aussi encore seulement svp merci bonjour salut sil plait quelque chose
  quelques que quoi qui quel quelle quels quelles ce cet cette ces cest ca tout tous toute toutes pour avec sans dans sur sous en a
  par est sont etre ai as avons avez ont avait y cherche cherchons chercher recherche voudrais voudrait voulons veux veut aimerais aime aimerait
  besoin acheter achete commander montrez montrer trouver trouve donne donnez peut pouvez pourriez coute coutent ne n etes vais prix article articles
  produit produits choses truc trucs tres bien bon bonne beau belle plutot si comme moins ajoute ajouter panier mettre mets autre autres
  qu j c s t m jusqu jusqua aupres propose proposez vendez voulez cherchez quelqu quelquun faire fait contre`);

/** Function words of other languages may be nouns (`hat`, `die`), so only those of the sentence's own language are fillers. */
export const FILLERS: Record<Language, ReadonlySet<string>> = {
  en: new Set(ENGLISH),
  de: new Set([...GERMAN, 'please', 'hello']),
  fr: new Set([...FRENCH, 'please', 'hello']),
};

/**
 * Words that tell whom or what something is for in general. They count where the shop uses them in names, types or tags, and say
 * nothing where it does not.
 */
export const OPTIONAL_WORDS: ReadonlySet<string> = new Set(
  words(`her him sie ihn elle lui friend friends colleague boss neighbour neighbor teacher mum mom mummy mother dad daddy father parent parents husband
  wife boyfriend girlfriend partner brother sister son daughter grandma grandpa grandmother grandfather aunt uncle cousin niece
  nephew family guest guests person people child children kid kids boy boys girl girls team club gift gifts present presents birthday
  anniversary surprise idea ideas clothes clothing outfit wear wearing gear equipment accessory accessories home house room
  living class lesson session learn learning play playing month year week day place party
  freund freundin kollege kollegin chef mutter vater mama papa eltern mann frau bruder schwester sohn tochter oma opa kind kinder
  geschenk geschenke geburtstag idee kleidung zuhause person personen leute
  ami amie collegue mere pere maman papa mari femme frere soeur fils fille enfant enfants cadeau cadeaux anniversaire vetements
  maison personne personnes`),
);

/** Words before a colon or an equals sign that only label what follows, as language models write. */
export const LABELS: ReadonlySet<string> = new Set(
  words(`item items product products query find search filter filters constraint constraints request task want looking need name type
  category categories gender intent action recipient occasion interest interests keyword keywords requirements availability produkt artikel suche verfugbarkeit produit article recherche rechercher chercher disponibilite`),
);

/** What is to be done with what is found, which says nothing of it. */
export const ORDER_PHRASES = phraseTable<'order'>([
  [
    'order',
    `at the moment, for the moment, in case, in the range of, in the range from, in the region of, in a range of, right now, just now, these days, at present, im moment, zur zeit, en ce moment, as long as, so long as, as soon as, provided that, no wait, wait no, nein warte, non attends, as possible,
    check out, and check out, check it out, go to checkout, pay for it, and pay, pay now, pay with my card, and pay with my card, pay by card, mit karte zahlen, payer par carte, place the order, place an order, place my order, quick one, quick question, i guess, just checking,
    zur kasse, zur kasse gehen, und bezahlen, bestellung abschicken, passer commande, passer a la caisse, valider la commande, et payer`,
  ],
]);

/** `top 3`, `the 5 best`: how many results, not how many pieces. */
export const RESULT_COUNTS = phraseTable<'count'>([
  ['count', 'top, best, first, beste, besten, erste, ersten, premiers'],
]);
