/** Exclusions, stock, reductions, totals and quantities in many wordings. */

import { expect, test } from 'vitest';
import { parseQuery } from './parse.ts';

const read = (sentence: string) => parseQuery(sentence, undefined, { isSentence: true, language: 'en' });
/** Splits a list of wordings at `|`. */
const wordings = (list: string) => list.split('|').map((wording) => wording.trim().replaceAll(/\s+/g, ' '));

const WITHOUT_WOOL =
  wordings(`a scarf without wool | a scarf w/o wool | a scarf with no wool | a scarf, no wool | a scarf no wool please |
    a scarf not made of wool | a scarf that is not made of wool | a scarf that's not wool | a scarf which isn't wool |
    a scarf that does not contain wool | a scarf containing no wool | a scarf free of wool | a wool-free scarf |
    a scarf, but not wool | a scarf but no wool | scarves except wool | scarves other than wool | scarves excluding wool |
    a scarf minus wool | a scarf, anything but wool | a scarf, everything except wool | a scarf, I don't want wool |
    a scarf; I don't like wool | a scarf, I can't wear wool | I don't wear wool, a scarf please | I never wear wool, scarf? |
    a scarf, I'm allergic to wool | my son is allergic to wool, he needs a scarf | a scarf but please spare me wool |
    a scarf, skip the wool | a scarf, hold the wool | a scarf, I can't stand wool | a scarf, she hates wool |
    a scarf, he dislikes wool | a scarf, wool is out | a scarf, wool is a no-go | a scarf, wool doesn't work |
    a scarf, no wool whatsoever | a scarf, absolutely no wool | a scarf, definitely not wool | a scarf, just not wool |
    a scarf, rather not wool | a scarf, preferably not wool | a scarf, as long as it's not wool |
    a scarf as long as it isn't wool | a scarf, must not be wool | a scarf, mustn't contain wool | a scarf, shouldn't be wool |
    a scarf that has no wool | a scarf, avoid wool | a scarf, avoiding wool | a scarf, leave out wool | a scarf, not in wool | a scarf in anything but wool |
    a scarf instead of wool | a scarf, please exclude wool | a scarf, I'd rather not have wool |
    a scarf, I would prefer no wool | a scarf, don't give me wool | a scarf, don't show wool | a scarf, steer clear of wool |
    a scarf, stay away from wool | a scarf, never wool | a scarf, non-wool | a scarf (no wool) |
    a scarf (not wool) | a scarf; not wool | a scarf – no wool | scarf -wool | scarf !wool | scarf NOT wool |
    scarf, material != wool | a scarf, wool excluded | a scarf, wool not wanted | a scarf, ditch the wool |
    a scarf, she won't wear wool | a scarf, I refuse to wear wool | a scarf, I'm not a fan of wool |
    a scarf, wool makes me itch | a scarf, I'm tired of wool | a scarf that doesn't use wool | a scarf, doesn't need wool |
    a scarf, no trace of wool | a scarf, there should be no wool in it | a scarf in any material except wool |
    a scarf, all but wool | scarves apart from wool | scarves aside from wool | scarves besides wool |
    scarf, ok with everything but wool | a scarf, none of that wool | scarves, none of them in wool`);

const WITHOUT_WOLLE =
  wordings(`ein Schal ohne Wolle | ein Schal, keine Wolle | ein Schal, aber keine Wolle | ein Schal, nicht aus Wolle |
    ein Schal, der nicht aus Wolle ist | ein Schal, bloß keine Wolle | ein Schal, bitte keine Wolle |
    ein Schal, auf keinen Fall Wolle | ein Schal, nur nicht Wolle | ein Schal, alles außer Wolle | Schals außer Wolle |
    Schals ausgenommen Wolle | ein Schal, Wolle mag ich nicht | ein Schal, ich mag keine Wolle |
    ein Schal, ich vertrage keine Wolle | ein Schal, ich bin allergisch gegen Wolle |
    ein Schal, Wolle geht gar nicht | ein Schal, Wolle kommt nicht infrage | ein Schal, Wolle ist tabu |
    ein Schal, Wolle scheidet aus | ein Schal frei von Wolle | ein wollefreier Schal | ein Schal statt Wolle |
    ein Schal, der keine Wolle enthält | ein Schal, lieber keine Wolle | ein Schal, lieber nicht Wolle |
    ein Schal, niemals Wolle | ein Schal, hauptsache nicht Wolle | ein Schal, Hauptsache keine Wolle |
    ein Schal, Wolle bitte nicht | ein Schal, Wolle trage ich nicht | ein Schal, ich hasse Wolle |
    ein Schal, ich trage nie Wolle | ein Schal, es darf keine Wolle sein | ein Schal, es soll nicht Wolle sein |
    ein Schal, Wolle ausgeschlossen | ein Schal (keine Wolle) | ein Schal, nix aus Wolle | ein Schal, nichts aus Wolle |
    ein Schal, verzichte auf Wolle | ein Schal, mit allem außer Wolle | ein Schal, weg mit Wolle | ein Schal, will keine Wolle |
    ein Schal, Wolle lieber nicht`);

const WITHOUT_LAINE =
  wordings(`une écharpe sans laine | une écharpe, pas de laine | une écharpe, pas en laine | une écharpe mais pas en laine |
    une écharpe qui n'est pas en laine | une écharpe, surtout pas de laine | une écharpe, tout sauf laine |
    une écharpe, tout sauf de la laine | des écharpes sauf laine | des écharpes hors laine | une écharpe autre que laine |
    une écharpe autre qu'en laine | une écharpe, je n'aime pas la laine | une écharpe, je ne supporte pas la laine |
    une écharpe, je suis allergique à la laine | une écharpe, je déteste la laine | une écharpe ne contenant pas de laine |
    une écharpe qui ne contient pas de laine | une écharpe, jamais de laine | une écharpe, aucune laine |
    une écharpe à l'exception de laine | une écharpe excepté laine | une écharpe hormis laine |
    une écharpe, je ne veux pas de laine | une écharpe, je ne porte pas de laine | une écharpe, évitez la laine |
    une écharpe, évite la laine | une écharpe, la laine c'est non | une écharpe, pas de laine svp |
    une écharpe au lieu de laine | une écharpe plutôt que laine | une écharpe (pas de laine) | une écharpe, exclure la laine |
    une écharpe non laine | une écharpe, rien en laine | une écharpe, je ne veux rien en laine |
    une écharpe, il ne faut pas de laine | une écharpe exempte de laine | une écharpe dépourvue de laine |
    une écharpe, je préfère éviter la laine | une écharpe, ni laine | une écharpe, je ne mets jamais de laine`);

const REFUSING_NOTHING =
  wordings(`I'm not sure which scarf to take | why not a scarf | not only scarves | no rush, a scarf | no idea what scarf to buy |
    I don't know which scarf | I don't mind which scarf | I can't find a scarf | I can't decide on a scarf | I have no scarf |
    I don't have a scarf yet | I don't own a scarf | a scarf, no matter the price | a scarf, doesn't matter which |
    don't you have a scarf? | haven't you got a scarf | do you not have scarves? | a scarf that doesn't itch |
    no problem if it is expensive, a scarf | ich habe keine Ahnung, welcher Schal | ich weiß nicht, welcher Schal |
    habt ihr keinen Schal? | je ne sais pas quelle écharpe | pas de problème, une écharpe | n'avez-vous pas une écharpe ? |
    pourquoi pas une écharpe | nothing fancy, a scarf | a no-nonsense scarf | I'm not picky, a scarf |
    I've never owned a scarf`);

const IN_STOCK =
  wordings(`a scarf in stock | a scarf that's in stock | scarf in stock right now | a scarf you have in stock |
    scarves currently in stock | scarf, must be in stock | scarf, only if in stock | scarf - stock only |
    a scarf that is available | available scarves | scarves available today | scarf available now | scarf that I can get today |
    scarf for immediate delivery | scarf with immediate shipping | a scarf ready to ship | a scarf that ships today |
    a scarf you can send today | a scarf that can be shipped right away | a scarf that can be sent immediately |
    a scarf deliverable now | a scarf that isn't sold out | scarves not sold out | a scarf that hasn't sold out |
    nothing sold out, a scarf | no out-of-stock scarf | hide sold out scarves | exclude out of stock scarf | in-stock scarf |
    a scarf which you can dispatch today | a scarf I can have right away | scarf, needs to be in stock |
    scarf that's not on backorder | scarf, no preorder | scarf with stock | scarves you actually have | scarves you still have |
    scarf you've got in stock | scarves still available | scarf on hand |
    scarf in your warehouse | a scarf I can order right now | a scarf that's immediately available |
    ein Schal auf Lager | Schal, sofort lieferbar | verfügbarer Schal | ein Schal, der verfügbar ist |
    ein Schal, der auf Lager ist | ein lieferbarer Schal | Schal, muss auf Lager sein | Schal, der vorrätig ist |
    vorrätige Schals | Schal, nicht ausverkauft | Schal, der noch da ist | Schal, den ihr noch habt |
    Schal, jetzt verfügbar | ein sofort verfügbarer Schal |
    Schal ab Lager | Schal, lagernd | Schal, direkt lieferbar | Schal, umgehend lieferbar | une écharpe en stock |
    une écharpe disponible | écharpes disponibles | une écharpe disponible tout de suite |
    une écharpe disponible immédiatement | une écharpe qui soit en stock | une écharpe livrable |
    une écharpe pas en rupture de stock | une écharpe qui n'est pas épuisée | une écharpe que vous avez en stock |
    une écharpe encore en stock | une écharpe dispo | une écharpe prête à expédier |
    une écharpe en stock uniquement | une écharpe non épuisée`);

const ON_SALE =
  wordings(`scarves on sale | scarf sale | any scarves on sale? | discounted scarves | scarves at a discount | scarves with a discount |
    reduced scarves | scarves that are reduced | marked-down scarves | scarves marked down | scarves on offer |
    any offers on scarves? | special offers on scarves | scarf deals | deals on scarves | any deals on scarves? |
    a scarf that's discounted | clearance scarves | scarves in the clearance | scarf bargains | bargain scarves |
    scarves on promotion | promo scarves | scarves with reduced price | scarves at reduced prices |
    scarves below the original price | scarves cheaper than before | scarves that have been reduced |
    scarves with price reductions | scarf with markdown | scarves currently on sale |
    sale scarves | scarves in the sale | half price scarves | scarves with money off | scarves for a reduced price |
    a scarf with a price drop | Schals im Angebot | Schal im Sale | reduzierte Schals | Schals, die reduziert sind |
    Schals mit Rabatt | rabattierte Schals | Schal zum Sonderpreis | Schals im Sonderangebot | Schal-Angebote |
    Angebote für Schals | heruntergesetzte Schals | herabgesetzte Schals | Schals im Ausverkauf | Schal zum reduzierten Preis |
    Schals, die im Preis gesenkt sind | vergünstigte Schals | Schal-Schnäppchen | Schals mit Preisnachlass | Schal ermäßigt |
    Schal, der gerade im Angebot ist | SALE Schals | écharpes en solde | écharpes soldées | écharpe en promo |
    écharpes en promotion | écharpes à prix réduit | écharpes avec une remise | écharpes remisées | écharpe en réduction |
    promotions sur les écharpes | des promos sur les écharpes | écharpes bradées | écharpes à prix cassé |
    bonnes affaires écharpes | des écharpes en ce moment en solde | des soldes sur les écharpes | écharpes avec réduction`);

/** Four units cost 60 euros, which is 15 euros each. */
const FOUR_FOR_60 =
  wordings(`4 mugs for 60 euros altogether | 4 mugs for 60 euros in total | 4 mugs, 60 euros total | 4 mugs, total 60 euros |
    4 mugs for a total of 60 euros | 4 mugs totalling at most 60 euros | 4 mugs, all together under 60 euros |
    4 mugs, together no more than 60 euros | 4 mugs, 60 euros for all four | 4 mugs, 60 euros for the lot |
    4 mugs, 60 euros for all of them | 4 mugs, 60 euros for the set | 4 mugs with a total budget of 60 euros |
    4 mugs, my budget is 60 euros | 4 mugs, budget 60 euros | 4 mugs, overall budget 60 euros |
    4 mugs, I want to spend 60 euros in total | 4 mugs, I have 60 euros | I have 60 euros for 4 mugs |
    I want to spend at most 60 euros on 4 mugs | 4 mugs, the whole order under 60 euros | 4 mugs, the whole lot under 60 euros |
    4 mugs, everything together max 60 euros | 4 mugs whose combined price is below 60 euros | 4 mugs, combined max 60 euros |
    4 mugs, sum under 60 euros | 4 mugs, all in all 60 euros max | 4 mugs, not more than 60 euros overall |
    4 mugs, 60 euros all in | 4 mugs for under 60 euros total | 4 mugs for max 60 euros the lot |
    4 mugs, under 60 euros for the four | four mugs for sixty euros together | 4 mugs, in sum 60 euros |
    4 mugs, 60 euros max for everything | 4 mugs costing 60 euros or less altogether | 4 mugs at 15 euros each |
    4 mugs at most 15 euros each | 4 mugs, each under 15 euros | 4 mugs, 15 euros apiece max | 4 mugs under 15 euros per mug |
    4 mugs, max 15 euros per piece | 4 mugs, not over 15 euros a piece | 4 mugs up to 15 euros per item |
    4 mugs, 15 euros each | 4 mugs that cost up to 15 euros each | 4 Becher für zusammen 60 Euro |
    4 Becher für insgesamt 60 Euro | 4 Becher, insgesamt höchstens 60 Euro | 4 Becher, zusammen nicht mehr als 60 Euro |
    4 Becher, alle zusammen unter 60 Euro | 4 Becher, Gesamtbudget 60 Euro | 4 Becher, Budget insgesamt 60 Euro |
    4 Becher, in Summe max. 60 Euro | 4 Becher, alles in allem 60 Euro | 4 Becher für 60 Euro gesamt |
    4 Becher, Gesamtpreis unter 60 Euro | 4 Becher, mein Budget ist 60 Euro | 4 Becher für je 15 Euro |
    4 Becher für jeweils höchstens 15 Euro | 4 Becher, pro Stück max. 15 Euro | 4 Becher zu je höchstens 15 Euro |
    4 Becher, maximal 15 Euro pro Becher | 4 Becher, das Stück unter 15 Euro | 4 Becher, jeder höchstens 15 Euro |
    ich habe 60 Euro für 4 Becher | 4 tasses pour 60 euros en tout | 4 tasses, 60 euros au total |
    4 tasses pour un total de 60 euros | 4 tasses, budget total 60 euros | 4 tasses, le tout à moins de 60 euros |
    4 tasses, l'ensemble pour 60 euros maximum | 4 tasses, pas plus de 60 euros en tout | 4 tasses, 60 euros les quatre |
    4 tasses pour 60 euros les quatre | 4 tasses, 60 euros pour les quatre | 4 tasses à moins de 15 euros pièce |
    4 tasses à moins de 15 euros chacune | 4 tasses à 15 euros l'unité maximum | 4 tasses, max 15 euros par tasse |
    4 tasses à 15 euros maximum la pièce | 4 tasses, mon budget est de 60 euros |
    4 mugs for 60 euros`);

test.each([
  ...WITHOUT_WOOL.map((sentence) => [sentence, 'wool'] as const),
  ...WITHOUT_WOLLE.map((sentence) => [sentence, 'wolle'] as const),
  ...WITHOUT_LAINE.map((sentence) => [sentence, 'laine'] as const),
])('understands an exclusion, and does not search for its words: %s', (sentence, unwanted) => {
  const { constraints, words } = read(sentence);
  expect(constraints.flatMap(({ kind, value }) => (kind === 'without' ? [value] : []))).toContain(unwanted);
  expect(words.map(({ term }) => term)).not.toContain(unwanted);
});

test.each(REFUSING_NOTHING)('a negation that excludes nothing is not read as an exclusion: %s', (sentence) => {
  expect(read(sentence).constraints.filter(({ kind }) => kind === 'without')).toEqual([]);
});

test('reports a negation without an object as not understood', () => {
  const [constraint] = read('a bench, but without').constraints;
  expect(constraint).toMatchObject({ kind: 'without', isUnread: true });
});

test('reads "has no clock, so I want to give her a wall clock" as a search for clocks, not as an exclusion', () => {
  const { constraints, words } = read('her new place has no clock, so I want to give her a wall clock');
  expect(constraints).toEqual([]);
  expect(words.map(({ text }) => text)).toContain('clock');
});

test.each(IN_STOCK)('reads the sentence as a request for products in stock only: %s', (sentence) => {
  expect(read(sentence).constraints).toMatchObject([{ kind: 'in_stock', value: 'true' }]);
});

test.each(ON_SALE)('reads the sentence as a request for reduced products only: %s', (sentence) => {
  expect(read(sentence).constraints).toMatchObject([{ kind: 'value', value: 'on_sale' }]);
});

test('does not read `for sale` as a limit to reduced products', () => {
  expect(read('do you have scarves for sale').constraints).toEqual([]);
});

test.each(FOUR_FOR_60)('divides a price for all units by their number, and keeps a price for each: %s', (sentence) => {
  const { constraints } = read(sentence);
  expect(constraints.flatMap(({ kind, value }) => (kind === 'quantity' ? [value] : []))).toEqual(['4']);
  expect(constraints.flatMap(({ kind, max }) => (kind === 'price' ? [max] : []))).toEqual([15]);
});

test.each<[string, number | undefined]>([
  ['a pair of mugs', 2],
  ['a pair of socks', 1],
  ['two pairs of socks', 2],
  ['a pair of gloves', 1],
  ['a pair of candles', 2],
  ['a couple of mugs', 2],
  ['a few mugs', undefined],
  ['half a dozen mugs', 6],
  ['a dozen mugs', 12],
  ['2 dozen mugs', 24],
  ['2x mug', 2],
  ['2 x mug', 2],
  ['mug x 2', 2],
  ['mug, 2 of them', 2],
  ['two of the mugs', 2],
  ['mugs - 3 pcs', 3],
  ['3pcs mug', 3],
  ['3 pcs. mug', 3],
  ['mug qty 3', 3],
  ['mug, quantity 3', 3],
  ['quantity: 3, mug', 3],
  ['I need mugs, three of them', 3],
  ['three mugs please', 3],
  ['could I have 3 of your mugs', 3],
  ['3 boxes of tea', 3],
  ['2 bags of seeds', 2],
  ['order 2 bags of the cornflower seeds', 2],
  ['2 packs of seeds', 2],
  ['2 packets of seeds', 2],
  ['2 bottles of oil', 2],
  ['a single mug', 1],
  ['one mug', 1],
  ['mugs for 4 people', undefined],
  ['mugs for four', undefined],
  ['ein Paar Socken', 1],
  ['zwei Paar Socken', 2],
  ['ein paar Becher', undefined],
  ['drei Becher', 3],
  ['3 Stück Becher', 3],
  ['Becher, 3 Stück', 3],
  ['3x Becher', 3],
  ['ein Dutzend Becher', 12],
  ['ein halbes Dutzend Becher', 6],
  ['zwei Tüten Samen', 2],
  ['une paire de chaussettes', 1],
  ['deux paires de chaussettes', 2],
  ['trois tasses', 3],
  ['une douzaine de tasses', 12],
  ['une demi-douzaine de tasses', 6],
  ['tasses, 3 pièces', 3],
  ['3 x tasse', 3],
  ['deux sachets de graines', 2],
  ['un mug', undefined],
  ['can I get 3 mugs', 3],
  ['3 mugs in sage', 3],
  ['six of those mugs', 6],
  ['twenty mugs', 20],
  ['100 mugs', 100],
  ['mug, 3 units', 3],
  ['add three sage mugs to my cart', 3],
  ['put 3 mugs in the basket', 3],
  ['3 more mugs', 3],
  ['another mug', undefined],
  ['mug for 2 euros', undefined],
  ['ich brauche 3 davon: Becher', 3],
  ['2 x wool blanket for the sofa', 2],
  ['I have 60 euros and need 4 of your mugs', 4],
  ['show me 3 options for a lamp', undefined],
  ['a cushion of 50 x 50', undefined],
  ['two 2-person tents', 2],
  ['5 Notizbücher, liniert', 5],
])('reads the requested quantity: %s', (sentence, quantity) => {
  const value = read(sentence).constraints.find(({ kind }) => kind === 'quantity')?.value;
  expect(Number(value ?? 1)).toBe(quantity ?? 1);
});

test.each([
  ['a knife with a blade under 20 cm', { value: 'cm', max: 20 }],
  ['a bag of at least 20 litres', { value: 'l', min: 20 }],
  ['backpack, 20 l or more', { value: 'l', min: 20 }],
  ['bottle between 0.5 and 1 litre', { value: 'l', min: 0.5, max: 1 }],
  ['a rug no wider than 100 cm', { value: 'cm', max: 100 }],
  ['Rucksack ab 20 Liter', { value: 'l', min: 20 }],
  ['une gourde de plus de 1 litre', { value: 'l', min: 1 }],
])('understands a limit on a measure: %s', (sentence, limit) => {
  expect(read(sentence).constraints).toMatchObject([{ kind: 'value', ...limit }]);
});
