/** Price limits in many wordings, each with several forms of the amount. {X} is 40 euros, and {T} is the product. */

import { expect, test } from 'vitest';
import { parseQuery } from './parse.ts';

const AMOUNTS = {
  en: ['40 euros', '€40', '40€', 'EUR 40', 'forty euros', '40.00 euros'],
  de: ['40 Euro', '40 €', '40,00 €', 'vierzig Euro', 'EUR 40'],
  fr: ['40 euros', '40 €', '40,00 €', 'quarante euros', '40 EUR'],
};
const THINGS = { en: 'benches', de: 'eine Bank', fr: 'un banc' };
type Language = keyof typeof AMOUNTS;

/** Splits a list of wordings at `|`. */
const wordings = (list: string) => list.split('|').map((wording) => wording.trim().replaceAll(/\s+/g, ' '));

const MOST: Record<Language, string[]> = {
  en: wordings(`{T} for {X} at most | {T} that comes in under {X} | {T}, {X} or under | {T} costing no more than {X} |
    {T} not exceeding {X} | {T} within {X} | {T} priced below {X} | {T}; my wallet stops at {X} |
    {T}, I refuse to pay more than {X} | {T}, can't go over {X} | {T}, can't go above {X} | {T}, don't want to pay over {X} |
    {T}, I would not pay more than {X} for it | {T}, and I don't want it to be over {X} | {T}, nothing pricier than {X} |
    {T}, nothing that costs more than {X} | {T}, no pricier than {X} | {T}, no dearer than {X} |
    {T} as long as it's under {X} | {T} provided it is below {X} | {T} if it costs less than {X} | {T}, keep it under {X} |
    {T}, stay below {X} | {T}, must stay under {X} | {T} with a budget of {X} | {T} on a {X} budget |
    I have a budget of {X} for {T} | I can spend up to {X} on {T} | I'd like to spend no more than {X} on {T} |
    spend less than {X} on {T} | {T}, {X} tops | {T}, {X} max | {T}, max {X} | {T}, maximum {X} | {T} (max. {X}) |
    {T} (up to {X}) | {T} <= {X} | {T} < {X} | {T}, price cap {X} | {T}, price ceiling {X} |
    {T} that won't cost me more than {X} | {T} that doesn't exceed {X} | {T} that stays under {X} |
    {T}, anything beyond {X} is out | {T}, over {X} is too expensive for me | {T}, {X} is the most I can pay |
    {T}, {X} is as much as I can spend | {T}, {X} is my absolute limit | {T}, {X} is all I have | {T}, I only have {X} |
    {T}, I've got {X} to spend | {T}, not a penny more than {X} | {T}, not over {X} please | {T}, but not above {X} |
    {T} but not more expensive than {X} | {T}, without going over {X} | {T} without spending more than {X} |
    {T} at {X} or below | {T} for {X} or less | is there {T} for less than {X} | any {T} cheaper than {X}? |
    {T} lower than {X} | {T} no higher than {X} | {T}, limit {X} | {T}, spending limit {X} | {T}, my limit is {X} |
    {T}, limit of {X} | {T}, upper limit {X} | {T} that I can get for {X} | {T} for no more than {X} | {T}, no more than {X} |
    {T} whose price is below {X} | {T} whose price doesn't go over {X} | {T} at a price under {X} | {T}, price under {X} |
    {T}, price: under {X} | {T}, price at most {X} | {T}, cost below {X} | {T} costs less than {X} |
    {T}, I can pay {X} at the outside | {T}, {X} at the outside | {T}, at the very most {X} | {T}, at most {X} |
    {T} for a maximum of {X} | {T} for {X} maximum | {T}, {X} maximum price | {T}, we can't afford more than {X} |
    {T}, I can't afford anything over {X} | skip anything above {X}: {T} | {T}, ignore everything that costs more than {X} |
    {T}, don't show me anything above {X} | {T}, hide anything over {X} | {T}, please no more than {X} | {T} for under {X} |
    {T} under {X} | {T} below {X} | {T} up to {X} | {T} that costs {X} or less | {T}, {X} or cheaper |
    {T}, ideally less than {X} | {T}, preferably under {X} | {T}, hopefully under {X} | {T} for just under {X} |
    {T} that will set me back no more than {X} | {T} — nothing over {X} | {T} that is not more than {X} |
    {T}, not to cost more than {X} | {T}, must be less than {X} | {T}, has to be under {X} | {T}, should cost less than {X} |
    {T}, it can cost up to {X} | {T}, it may cost {X} at most | {T}, my upper limit is {X} | {T}, capped at {X} |
    {T} with a price tag below {X} | {T} with a price of at most {X} | {T} in the under {X} range | under {X} {T} |
    {T} that don't go over {X} | {T}, anything more than {X} is too much | {T}, I don't have more than {X} |
    {T}, I have no more than {X} | {T}, I can't spend more than {X} | {T}, not willing to pay more than {X} |
    {T}, unwilling to spend over {X} | {T}, happy to pay up to {X} | {T}, willing to pay {X} |
    {T}, prepared to pay up to {X} | {T}, prepared to spend {X} | {T}, would pay up to {X} | {T}, would go up to {X} |
    {T}, no higher than {X}, please | {T}, as long as it doesn't cost more than {X} | {T}, as long as it's not over {X} |
    {T} unless it's over {X} | {T}, but only if under {X} | only {T} under {X} | {T}, {X} and under | {T} {X} and below`),
  de: wordings(`{T} bis {X} | {T} bis zu {X} | {T} bis maximal {X} | {T} unter {X} | {T} für unter {X} |
    {T} für weniger als {X} | {T} für höchstens {X} | {T} für maximal {X} | {T}, max. {X} | {T}, maximal {X} |
    {T}, höchstens {X} | {T}, nicht über {X} | {T}, nicht mehr als {X} | {T}, nicht teurer als {X} |
    {T}, darf nicht mehr als {X} kosten | {T}, darf höchstens {X} kosten | {T}, darf maximal {X} kosten |
    {T}, sollte unter {X} liegen | {T}, soll unter {X} bleiben | {T}, soll nicht über {X} kosten | {T}, die unter {X} kostet |
    {T}, die weniger als {X} kostet | {T}, das höchstens {X} kostet | {T} mit Budget {X} | {T}, mein Budget ist {X} |
    {T}, mein Budget liegt bei {X} | {T}, Budget: {X} | ich habe {X} für {T} | ich möchte höchstens {X} für {T} ausgeben |
    ich will nicht mehr als {X} ausgeben, {T} | für {T} will ich maximal {X} ausgeben | {T} günstiger als {X} |
    {T} billiger als {X} | {T} unterhalb von {X} | {T}, Preis bis {X} | {T}, Preis unter {X} | {T}, Preis maximal {X} |
    {T}, Höchstpreis {X} | {T}, Preisobergrenze {X} | {T}, Obergrenze {X} | {T}, Limit {X} | {T}, mein Limit sind {X} |
    {T}, mehr als {X} ist zu viel | {T}, über {X} ist mir zu teuer | {T}, alles über {X} ist zu teuer |
    {T}, mehr als {X} möchte ich nicht zahlen | {T}, mehr als {X} geht nicht | {T}, mehr als {X} habe ich nicht |
    {T}, mehr als {X} kann ich nicht ausgeben | {T}, aber nichts über {X} | {T}, nichts was mehr als {X} kostet |
    {T}, kein Modell über {X} | {T}, {X} oder weniger | {T}, {X} maximal | {T}, {X} höchstens | {T}, {X} ist das Maximum |
    {T}, {X} ist mein Maximum | {T}, allerhöchstens {X} | {T}, wenn sie unter {X} kostet |
    {T}, solange sie nicht über {X} kostet | {T}, sofern unter {X} | {T}, am besten unter {X} | {T}, möglichst unter {X} |
    {T}, gern bis {X} | {T} kleiner als {X} | {T}, ohne mehr als {X} auszugeben | {T}, die nicht mehr als {X} kosten darf |
    {T}, die {X} nicht überschreitet | {T}, die {X} nicht übersteigt | {T}, nicht mehr als {X} bitte |
    gibt es {T} unter {X}? | habt ihr {T} für weniger als {X}? | was für {T} bekomme ich für {X}? |
    {T}, ich zahle höchstens {X} | {T}, ich würde bis {X} gehen | {T}, bis {X} ist ok | {T} im Rahmen von {X} |
    {T} innerhalb von {X} | {T}, zum Preis von höchstens {X} | {T} zu höchstens {X} | {T}, keinesfalls über {X} |
    {T}, auf keinen Fall mehr als {X} | {T}, auf keinen Fall teurer als {X} | {T}, keinen Cent über {X} |
    {T}, zeig mir nichts über {X} | {T}, unter {X} wäre super | {T}, weniger als {X} | {T} für {X} oder weniger |
    {T}, am liebsten weniger als {X} | {T}, der Preis darf {X} nicht übersteigen |
    {T}, der Preis sollte {X} nicht überschreiten | {T}, Preisgrenze {X} | {T}, bis {X} Budget | {T}, nicht mehr wie {X} |
    {T}, Kostenpunkt maximal {X} | {T}, Kostenpunkt bis {X}`),
  fr: wordings(`{T} à moins de {X} | {T} de moins de {X} | {T} pour moins de {X} | {T} à {X} maximum | {T} {X} max |
    {T} max {X} | {T}, maximum {X} | {T} jusqu'à {X} | {T} en dessous de {X} | {T} sous les {X} | {T} sous {X} |
    {T} inférieur à {X} | {T} à un prix inférieur à {X} | {T} pas plus de {X} | {T}, pas plus cher que {X} |
    {T} qui coûte moins de {X} | {T} qui ne coûte pas plus de {X} | {T} qui ne dépasse pas {X} | {T} ne dépassant pas {X} |
    {T} sans dépasser {X} | {T}, je ne veux pas dépasser {X} | {T}, il ne faut pas que ça dépasse {X} |
    {T}, je ne veux pas mettre plus de {X} | {T}, je ne peux pas payer plus de {X} | {T}, mon budget est de {X} |
    {T}, budget {X} | {T}, budget max {X} | {T}, budget de {X} | {T} avec un budget de {X} | j'ai {X} pour {T} |
    j'ai un budget de {X} pour {T} | je n'ai que {X}, {T} | je dispose de {X} pour {T} | je peux mettre {X} dans {T} |
    je peux dépenser {X} pour {T} | {T}, {X} au maximum | {T}, {X} au plus | {T}, {X} tout au plus | {T}, au plus {X} |
    {T}, au maximum {X} | {T}, {X} grand maximum | {T} moins cher que {X} | {T} moins chère que {X} | {T} pour {X} ou moins |
    {T}, {X} ou moins | {T}, plus de {X} c'est trop | {T}, au-dessus de {X} c'est trop | {T}, rien au-dessus de {X} |
    {T}, rien à plus de {X} | {T}, mais rien qui coûte plus de {X} | {T} dont le prix ne dépasse pas {X} |
    {T} dont le prix est inférieur à {X} | {T} au prix maximum de {X} | {T}, prix max {X} | {T}, prix maximum : {X} |
    {T}, prix inférieur à {X} | {T} qui reste sous les {X} | {T} qui reste en dessous de {X} | {T}, idéalement moins de {X} |
    {T}, de préférence moins de {X} | {T}, si possible à moins de {X} | avez-vous {T} à moins de {X} ? |
    que puis-je avoir comme {T} pour {X} ? | {T}, {X} c'est mon maximum | {T}, {X} c'est ma limite |
    {T}, ma limite est de {X} | {T}, ma limite c'est {X} | {T}, limite {X} | {T}, plafond {X} | {T} plafonné à {X} |
    {T} dans la limite de {X} | {T}, surtout pas plus de {X} | {T}, je ne mettrai pas plus de {X} |
    {T}, je refuse de payer plus de {X} | {T}, n'excédant pas {X} | {T} qui n'excède pas {X} | {T}, inférieurs à {X} |
    {T} à moins de {X}, svp | {T} pour {X} maxi | {T}, il faut que ce soit moins de {X} | {T}, ça doit coûter moins de {X} |
    {T}, je veux payer moins de {X} | {T} pour un maximum de {X}`),
};
const LEAST: Record<Language, string[]> = {
  en: wordings(`{T} over {X} | {T} above {X} | {T} from {X} | {T} from {X} up | {T} from {X} upwards | {T} starting at {X} |
    {T}, at least {X} | {T} for at least {X} | {T}, no less than {X} | {T}, not less than {X} | {T}, nothing under {X} |
    {T}, nothing below {X} | {T}, not cheaper than {X} | {T}, nothing cheaper than {X} | {T}, minimum {X} | {T}, min. {X} |
    {T} costing more than {X} | {T} that costs over {X} | {T} that costs at least {X} | {T} worth more than {X} |
    {T} worth at least {X} | {T}, {X} or more | {T}, {X} and up | {T}, {X} and above | {T} > {X} | {T} >= {X} |
    {T} exceeding {X} | {T} pricier than {X} | {T} more expensive than {X} | {T} north of {X} | {T} upwards of {X} |
    {T} in excess of {X} | {T}, should cost more than {X} | {T}, I want to spend at least {X} |
    {T}, I want to spend more than {X} | {T}, anything under {X} is too cheap | {T}, must cost at least {X} |
    {T}, minimum price {X} | {T}, price over {X} | {T}, must not be cheaper than {X} | {T}, don't show me anything under {X} |
    {T}, no cheaper than {X} | {T}, {X} minimum | {T}, {X} at least | {T} for {X} or more | {T} that isn't under {X} |
    {T} of {X} or higher | {T} beyond {X} | {T} that is not under {X}`),
  de: wordings(`{T} ab {X} | {T} über {X} | {T} für über {X} | {T} für mehr als {X} | {T}, mindestens {X} |
    {T}, nicht unter {X} | {T}, nicht weniger als {X} | {T}, nicht billiger als {X} | {T}, nichts unter {X} |
    {T}, mehr als {X} | {T} teurer als {X} | {T}, die mehr als {X} kostet | {T}, die mindestens {X} kostet |
    {T}, {X} oder mehr | {T}, {X} aufwärts | {T} ab {X} aufwärts | {T}, Preis ab {X} | {T}, Preis über {X} |
    {T}, Mindestpreis {X} | {T} oberhalb von {X} | {T}, soll mindestens {X} kosten | {T}, unter {X} ist mir zu billig |
    {T} im Wert von mindestens {X} | {T}, wenigstens {X} | {T}, darf ruhig über {X} kosten | {T} von {X} aufwärts`),
  fr: wordings(`{T} à plus de {X} | {T} de plus de {X} | {T} à partir de {X} | {T} au-dessus de {X} | {T}, au moins {X} |
    {T} d'au moins {X} | {T}, minimum {X} | {T}, {X} minimum | {T}, pas moins de {X} | {T}, {X} ou plus | {T}, {X} et plus |
    {T}, plus cher que {X} | {T} qui coûte plus de {X} | {T} qui coûte au moins {X} | {T} supérieur à {X} |
    {T} à un prix supérieur à {X} | {T}, rien en dessous de {X} | {T}, rien à moins de {X} | {T}, prix minimum {X} |
    {T} dépassant {X} | {T} qui dépasse {X} | {T} d'une valeur d'au moins {X}`),
};
const NEAR: Record<Language, string[]> = {
  en: wordings(`{T} around {X} | {T} about {X} | {T} for about {X} | {T}, roughly {X} | {T}, approximately {X} |
    {T}, approx. {X} | {T}, ca. {X} | {T} in the region of {X} | {T} near {X} | {T} close to {X} | {T}, {X} or so |
    {T}, {X} or thereabouts | {T}, somewhere around {X} | {T}, more or less {X} | {T} for {X}, give or take | {T}, circa {X} |
    {T} at around {X} | {T} costing around {X} | {T}, {X} give or take a bit | {T} in the {X} ballpark |
    {T}, around the {X} mark | {T} ~{X}`),
  de: wordings(`{T} um die {X} | {T} für ungefähr {X} | {T} für etwa {X} | {T} für circa {X} | {T}, ca. {X} | {T}, rund {X} |
    {T}, so um die {X} | {T}, {X} oder so | {T} um {X} | {T} um {X} herum | {T}, etwa {X} | {T} in der Preisklasse um {X} |
    {T} für rund {X} | {T}, ungefähr {X}`),
  fr: wordings(`{T} autour de {X} | {T} aux alentours de {X} | {T} environ {X} | {T} à environ {X} | {T} pour environ {X} |
    {T}, à peu près {X} | {T} vers {X} | {T} dans les {X} | {T}, {X} environ | {T} aux environs de {X} |
    {T}, plus ou moins {X} | {T} pour une {X} environ | {T} autour des {X}`),
};

/** Wordings that are not understood, and must be reported. */
const OTHERS: Record<Language, string[]> = {
  en: wordings(`{T}, shouldn't go past {X} | {T}, keep it to {X} | my budget for {T} is {X} | budget for {T}: {X} |
    my max for {T} is {X} | the most I can spend on {T} is {X} | the most I'd pay for {T} is {X} | {T}, I've only got {X} |
    got {X}, need {T} | with {X} in my pocket, which {T} can I get? | {T} underneath {X} |
    leave out everything over {X}, {T} | {T} in the sub-{X} range | {T}, could go as high as {X} |
    {T} in the {X} range`),
  de: wordings(`ich habe nur {X}, {T} | ich kann {X} für {T} ausgeben | {T}, lass alles über {X} weg |
    {T}, blende alles über {X} aus | {T}, mehr wie {X} darf es nicht kosten |
    {T}, mehr als {X} will ich dafür nicht hinlegen | {T} in der Größenordnung von {X}`),
  fr: wordings(`{T}, au-delà de {X} c'est trop cher | {T}, pas un centime de plus que {X} | {T} mais pas au-delà de {X} |
    {T} d'une valeur maximale de {X}`),
};

function limitsOf(sentence: string) {
  const { constraints } = parseQuery(sentence, undefined, { isSentence: true, language: 'en' });
  return constraints.flatMap(({ kind, min, max }) => (kind === 'price' ? [{ min, max }] : []));
}

const cases = [
  { of: MOST, limit: { min: undefined, max: 40 } },
  { of: LEAST, limit: { min: 40, max: undefined } },
  { of: NEAR, limit: { min: 30, max: 50 } },
].flatMap(({ of, limit }) =>
  (Object.keys(of) as Language[]).flatMap((language) => of[language].map((wording) => ({ wording, language, limit }))),
);

test.each(cases)('understands a price limit in every form of the amount: $wording', ({ wording, language, limit }) => {
  for (const amount of AMOUNTS[language]) {
    const sentence = wording.replace('{T}', THINGS[language]).replace('{X}', amount);
    expect([sentence, ...limitsOf(sentence)]).toEqual([sentence, limit]);
  }
});

const others = (Object.keys(OTHERS) as Language[]).flatMap((language) =>
  OTHERS[language].map((wording) => ({ wording, language })),
);

test.each(others)(
  'reports a price limit that it does not understand, and guesses no limit: $wording',
  ({ wording, language }) => {
    for (const amount of AMOUNTS[language]) {
      const sentence = wording.replace('{T}', THINGS[language]).replace('{X}', amount);
      expect([sentence, ...limitsOf(sentence)]).toEqual([sentence, { min: undefined, max: undefined }]);
    }
  },
);

test.each([
  ['max 40: benches', { min: undefined, max: 40 }],
  ['benches costing 40 to 60', { min: 40, max: 60 }],
  ['budget: EUR 40-60', { min: 40, max: 60 }],
  ['a bench for 120 US dollars or less', { min: undefined, max: 120 }],
])('understands further wordings of a price limit: %s', (sentence, limit) => {
  expect(limitsOf(sentence)).toEqual([limit]);
});

test('a number after a word for a price is reported as not understood, and sets no limit', () => {
  expect(limitsOf('the bench that costs 40')).toEqual([{ min: undefined, max: undefined }]);
});
