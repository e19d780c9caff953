import { phraseTable } from '../words/phrases.ts';

/** The words that state numeric limits, in English, German and French; normalized, without accents. */

export type Side = 'min' | 'max';
/** What a comparison says of the amount after it: a bound, or that it is near it. */
export type Comparison = Side | 'near';

export const COMPARISONS = phraseTable<Comparison>([
  [
    'max',
    `under, below, beneath, underneath, less than, lower than, cheaper than, fewer than, up to, upto, at most, at max, within,
    maximum price of, max price of, maximum price, max price, price max, price maximum, maximum of, maximum, maximally, max of,
    max, price limit of, price limit, price cap, limit of, budget of, budget is, budget, budget max, not to exceed, can pay,
    can spend, can afford, could spend, <, < =, ≤, unter, unterhalb von, weniger als, billiger als, gunstiger als,
    niedriger als, bis, bis zu, bis maximal, bis hochstens, maximal, hochstens, preis bis, maximalpreis, hochstpreis,
    preisgrenze, budget von, budget bis, moins de, a moins de, moins cher que, moins chere que, moins que, en dessous de,
    au dessous de, en dessous des, sous, jusqua, jusqu a, au maximum, au max, maxi, au plus, inferieur a, inferieure a,
    prix max, prix maximum, prix maximal, budget de`,
  ],
  [
    'min',
    `over, above, more than, greater than, higher than, better than, at least, at min, exceeding, exceed, exceeds, upwards of,
    starting at, starting from, from, minimum price of, min price of, minimum price, min price, price min, minimum of, minimum,
    min of, min, >, > =, ≥, uber, oberhalb von, mehr als, teurer als, mindestens, wenigstens, ab, minimal, plus de,
    plus cher que, plus chere que, au dessus de, a partir de, au moins, au minimum, superieur a, superieure a`,
  ],
  [
    'near',
    `about, around, roughly, approximately, approx, circa, ca, some, or so, in the region of, in the neighbourhood of, close to,
    near, ~, ungefahr, etwa, rund, gegen, so um die, um die, knapp, environ, autour de, aux alentours de, vers, a peu pres`,
  ],
]);

/** These also occur in names (`Pro Max`), or mean something else before a plain number: they need a unit to be a limit. */
export const AMBIGUOUS_COMPARISONS = new Set(
  `max,min,from,within,up to,starting from,bis,ab,about,around,some,near,close to,rund,gegen,vers,sous,uber,minimal,au plus,
  budget max,circa,ca,etwa,knapp,um die`.split(/,\s*/),
);

/** Beside these, a number is a price. */
export const PRICE_WORDS = new Set('price prices priced cost costs budget preis kosten prix cout'.split(' '));

export const SUFFIXES = phraseTable<Comparison>([
  [
    'max',
    `or less, or under, or below, or lower, or cheaper, or fewer, and less, and under, and below, max, maximum, at most,
    at the most, tops, oder weniger, oder gunstiger, oder billiger, maximal, hochstens, ou moins, maxi, au maximum, au max,
    au plus`,
  ],
  [
    'min',
    `or more, or higher, or above, or better, or over, or up, and up, and above, and higher, and more, and over, upwards,
    minimum, at least, plus, +, oder mehr, oder teurer, oder daruber, aufwarts, und mehr, mindestens, ou plus, et plus,
    au moins, au minimum`,
  ],
  [
    'near',
    'or so, or thereabouts, ish, - ish, oder so, ou a peu pres, a peu pres, environ, circa, approximately, roughly',
  ],
]);

/** Words after which a number or a negation is still about the price: `must not cost more than`. */
export const NEGATIONS = new Set(
  `not no never cannot cant dont doesnt shouldnt mustnt wont isnt nothing none without nicht nichts kein keine keinen keinesfalls
  niemals pas rien jamais sans aucun`.split(/\s+/),
);
export const BETWEEN_NEGATION_AND_COMPARISON = new Set(
  `cost costs costing be exceed go going price priced is are to any that which want spend pay it will das die der was kostet kosten
  darf soll sein geht qui coute coutent de couter depasser depasse d`.split(/\s+/),
);

export const CURRENCIES: Record<string, string> = Object.fromEntries(
  [
    ['USD', 'us$ $ usd dollar dollars buck bucks'],
    ['EUR', '€ eur euro euros'],
    ['GBP', '£ gbp quid'],
    ['JPY', '¥ jpy yen'],
    ['CHF', 'chf francs franken'],
  ].flatMap(([code = '', names = '']) => names.split(' ').map((name) => [name, code])),
);

/** The whole amount is meant, for all pieces together. */
export const TOTALS = phraseTable<'total'>([
  [
    'total',
    `altogether, all together, in total, total, totalling, together, in all, all in, overall, for all of them, for everything,
    for the lot, combined, insgesamt, zusammen, alles zusammen, alle zusammen, in summe, gesamt, gesamtpreis, gesamtbudget,
    im ganzen, au total, en tout, total de, ensemble, budget total, pour le tout, a total of, for a total of, total budget of,
    total budget, total cost`,
  ],
]);
/** Each piece is meant. */
export const EACH = phraseTable<'each'>([
  [
    'each',
    `each, apiece, per piece, a piece, per item, per unit, pro stuck, je stuck, das stuck, jeweils, chacun, chacune, piece,
    la piece, par piece, a lunite, lunite`,
  ],
]);
