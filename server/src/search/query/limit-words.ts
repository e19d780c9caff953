import { phraseTable } from '../words/phrases.ts';

/** The words that state numeric limits, in English, German and French; normalized, without accents. */

export type Side = 'min' | 'max';
/** What a comparison says of the amount after it: a bound, that it is near it, or that it is just that. */
export type Comparison = Side | 'near' | 'exact';

export const COMPARISONS = phraseTable<Comparison>([
  [
    'max',
    `keine, keine ganzen, keine vollen, darf, hab, hab nur, hab noch, hab nur noch, maxprice, pricemax, price _ max, under, below, beneath, underneath, beneath the, change from, change out of, working with, price to, upper price, below or equal to, under or equal to, at or below, at or under, equal to or less than, equal or less than, less than, less then, cheaper then, lower then, fewer then, cheap as, as high as, as much as, go to, stretch to, go up to, lower than, cheaper than, fewer than, up to, up to and including, upto, at most, at max, within,
    maximum price of, max price of, maximum price, max price, price max, price maximum, maximum of, maximum, maximally, max of,
    max, price limit of, price limit, price cap, limit of, budget of, budget is, budget, budget max, not to exceed, can pay,
    can spend, can afford, could spend, can pay up to, spend, spending, pay, paying, max spend, maximum spend, have, have got,
    got, ive got,
    at the very most, at the most, at the absolute most, most i can spend is, less or equal to, less than or equal to, south of, sub, sub -, keep it to, keep to, price ceiling, price ceiling of, ceiling, capped at, cap of, cap at, ceiling of, ceiling is,
    upper limit of, upper limit is, upper limit, limited to, limit, limit is, limit sind, limit ist, limit liegt bei,
    <, < =, ≤, lt, lte, afford, only afford, get with, buy with, unter, unterhalb von, weniger als, billiger als, gunstiger als,
    niedriger als, kleiner als, preiswerter als, kann, dispose de, limite est de, limite c est, habe, habe noch, habe nur noch, habe nur, nur noch, zahle, allerhochstens, im rahmen von, innerhalb von,
    preislimit,
    preisobergrenze, obergrenze, limit von, budget ist, budget liegt bei, budget betragt, bis, bis zu, bis einschließlich, bis einschliesslich, bis inklusive, zu je, bis maximal,
    bis hochstens, maximal, hochstens, preis bis, maximalpreis, maximalpreis von, hochstpreis, hochstpreis von,
    preisgrenze, preis hochstens, preis maximal, kostenpunkt maximal, kostenpunkt bis, budget von, budget bis, moins de, a moins de, moins cher que, moins chere que, moins que, en dessous de,
    au dessous de, en dessous des, sous, sous les, sous la barre des, jusqua, jusqu a, d au plus, pas au dela de,
    dans la limite de, depenser, peux mettre, ai, ai que, n ai que, nai que, depasse pas, depassent pas,
    ne depassant pas, depassant pas, ne depasse pas, ne depassent pas, doit pas depasser, sans depasser, pas depasser,
    plafonne a,
    budget est de, budget maximum de, budget maximum, au maximum, au max, maxi, au plus, inferieur a, inferieure a, inferieurs a, inferieures a, n excedant pas, excedant pas, n excede pas, excede pas, n excedent pas, excedent pas, pour un maximum de, un maximum de, valeur maximale de, plafond, plafond de, limite,
    prix max, prix maximum, prix maximum de, prix maximal, prix maximal de, budget de`,
  ],
  [
    'min',
    `minprice, pricemin, over, above, past, upward of, above or equal to, at or above, at or over, equal to or more than, more than, more then, higher then, more expensive than, greater than, higher than, better than, dearer than, pricier than, depasse, depassent, costlier than,
    greater than or equal to, north of, in excess of, beyond, at least, at min, exceeding, exceed, exceeds, upwards of,
    starting at, starting from, from, minimum price of, min price of, minimum price, min price, price min, minimum of, minimum,
    min of, min, >, > =, ≥, gt, gte, uber, oberhalb von, plus que, de plus que, mehr als, mehr wie, teurer als, teurer wie, hoher als, größer als, grosser als, mindestpreis,
    mindestpreis von, mindestens, wenigstens, ab, minimal, plus de,
    plus cher que, plus chere que, au dessus de, a partir de, des, depassant, excedant, excede, excedent, au dela de, d au moins, prix minimum, prix minimum de,
    prix minimal, au moins, au minimum, superieur a, superieure a, superieurs a, superieures a`,
  ],
  [
    'near',
    `like, + / -, + -, ±, about, around, roughly, approximately, approx, circa, ca, some, or so, in the region of, in the ballpark of, in the vicinity of, in the neighbourhood of,
    in the neighborhood of, something like, give or take, more or less, close to,
    near, ~, ungefahr, etwa, rund, gegen, so um die, um die, knapp, zirka, annahernd,
    in der großenordnung von, etwa fur, ungefahr fur, so ca, mehr oder weniger, plus ou moins, environ, preisklasse um, preislage um, um, so um, autour de, autour des, aux alentours de, aux environs de,
    approximativement, dans les, pres de, vers, a peu pres`,
  ],
  ['exact', 'exactly, precisely, genau, exakt, exactement, precisement, pile'],
]);

/** These also occur in names (`Pro Max`), or mean something else before a plain number: they need a unit to be a limit. */
export const AMBIGUOUS_COMPARISONS = new Set(
  `exactly,precisely,genau,exakt,exactement,precisement,pile,like,darf,hab,hab nur,hab noch,hab nur noch,max,min,past,go to,keep to,limite,plafond,from,within,up to,starting from,bis,ab,about,around,some,um,so um,near,close to,rund,gegen,vers,sous,uber,minimal,au plus,
  budget max,lt,lte,gt,gte,afford,only afford,get with,buy with,circa,ca,etwa,knapp,um die,have,have got,got,ive got,spend,spending,pay,paying,limit,sub,beyond,kann,habe,habe nur noch,habe nur,nur noch,
  habe noch,
  zahle,ai,depenser,des,dans les,pres de,innerhalb von,im rahmen von,give or take,more or less,mehr oder weniger,plus ou moins,something like,annahernd,sous les`.split(
    /,\s*/,
  ),
);

/** Beside these, a number is a price. */
export const PRICE_WORDS = new Set(
  'price prices priced pricing cost costs costing budget range worth preis preise kosten kostet kostend preisspanne preisbereich prix cout coute coutant fourchette valeur'.split(
    ' ',
  ),
);

export const SUFFIXES = phraseTable<Comparison>([
  [
    'max',
    `or less, or under, or below, or lower, or cheaper, or fewer, and less, and under, and below, max, maximum, at most,
    at the most, at the very most, at the absolute most, absolute max, tops, to spend, at the outside, is my absolute limit, is my absolute max, is my absolute maximum, left, is as much as i can spend, is as much as i can pay, is as far as i go, is where i draw the line, is where it ends, is as far as, is as high as, is as much as, is my limit, is my max, is my maximum,
    is my budget, is the limit, is the max, is the maximum, is the most, is all i have, is all ive got, budget,
    ubrig, oder darunter, und darunter, ausgeben, zur verfugung, nicht ubersteigt, nicht ubersteigen, nicht uberschreitet,
    nicht uberschreiten,
    ist mein maximum, sind mein maximum, ist das hochste der gefuhle, sind das hochste der gefuhle, ist das maximum, sind das maximum, ist mein limit, sind mein limit, ist die obergrenze, sind die obergrenze, tout au plus,
    est mon maximum, est mon budget, de budget, a depenser, oder weniger, oder gunstiger, oder billiger, maximal, hochstens,
    is my ceiling, is the ceiling, is my cap, is the cap, is my upper limit, is as high as i go, ist meine grenze, ist die schmerzgrenze, ist meine schmerzgrenze, ist schluss,
    ist meine obergrenze, ist das limit, ist die grenze, ist mein budget, cest mon maximum, c est mon maximum, c est ma limite, c est mon max, c est le maximum, est ma limite, cest ma limite,
    grand maximum, grand max, ou moins, maxi, au maximum, au max,
    au plus`,
  ],
  [
    'min',
    `or more, or higher, or above, or better, or over, or up, and up, and above, and higher, and more, and over, upwards,
    minimum, at least, plus, +, < price, < = price, < preis, < prix, oder mehr, oder teurer, oder daruber,
    und daruber, und teurer, und aufwarts, nach oben, aufwarts, und mehr, mindestens, ou plus, et plus,
    au moins, au minimum`,
  ],
  [
    'near',
    'or so, or thereabouts, give or take a bit, give or take a little, give or take a few, give or take, ballpark, mark, ish, - ish, oder so, herum, ou a peu pres, a peu pres, environ, circa, approximately, roughly',
  ],
]);

/** What lies beyond the amount is refused: `over 50 is too much`, `teurer als 50 soll es nicht sein`. */
export const REFUSALS = phraseTable<'refused'>([
  [
    'refused',
    `is far too much, is way too much, is too cheap, are too cheap, is too little, ist zu billig, ist mir zu billig, ist zu wenig, ist mir zu wenig, sind mir zu teuer, ist ausgeschlossen, is not an option, wont work, is too much, is too expensive, is too dear, is too pricey, is out, is out of the question, is out of my budget,
    is over my budget, is over budget, is not ok, is not okay, is a no, are too expensive, are too much, are out,
    would be too much, would be too expensive, i wont pay, i cant pay, i cant afford, soll es nicht sein, soll er nicht sein,
    soll sie nicht sein, sollte es nicht sein, darf es nicht sein, darf er nicht sein, darf sie nicht sein, darfs nicht sein,
    solls nicht sein, soll es nicht kosten, darf es nicht kosten, will ich nicht ausgeben, will ich nicht zahlen,
    will ich nicht bezahlen, mochte ich nicht ausgeben, mochte ich nicht zahlen, mochte ich nicht bezahlen,
    kann ich nicht ausgeben, kann ich nicht zahlen, kann ich mir nicht leisten, gebe ich nicht aus, zahle ich nicht, geht nicht,
    ist zu teuer, ist mir zu teuer, ist zu viel, ist mir zu viel, sind zu teuer, ware zu teuer, ware zu viel, cest trop,
    cest trop cher, c est trop, c est trop cher, est trop, est trop cher, ce serait trop, ce serait trop cher`,
  ],
]);

/** After these, a number without a unit is no price: `sizes up to 42`. */
export const NOT_PRICES = new Set(
  `size sizes waist age ages aged year years load weight height length width diameter depth capacity volume power pages seats
  temperature rating ratings stars große großen grosse groß alter jahre gewicht hohe lange breite durchmesser tiefe volumen leistung
  taille tailles pointure age ans poids hauteur longueur largeur diametre capacite`.split(/\s+/),
);
/** After a price without a currency, these begin another clause of a sentence. */
export const NEXT_CLAUSE = new Set(
  `as if so then thanks nor noch ni it i we is are max budget price each apiece total altogether und oder aber mit fur im das der die ist kostet kosten darf range mark bleiben liegen ware gehen
  soll sollte sein ausgeben zahlen bezahlen bitte pro je zusammen insgesamt liegt et ou mais qui avec pour dans en svp s merci chacun
  chacune par`.split(/\s+/),
);

/** Words after which a number or a negation is still about the price: `must not cost more than`. */
export const NEGATIONS = new Set(
  `nix hate hates dislike reluctant loath not no never cannot cant dont doesnt shouldnt mustnt wont isnt nothing none without nicht nichts kein keine keinen keinesfalls
  niemals nie pas rien jamais sans aucun aucune neither nor weder refuse refusing skip avoid avoiding exclude excluding ignore hide omit drop
  unwilling unless unable refuse refuses ohne ausser keinem keiner exclus`.split(/\s+/),
);
export const BETWEEN_NEGATION_AND_COMPARISON = new Set(
  `cost costs costing be exceed go going price priced is are to in any that which want interested spend pay it will
  dafur willing prepared afford having have paying spending going more see fall modell model piece pieces part bill climb rise run reach
  a one cent cents penny single dime be more show give offer suggest recommend find me us you anything something everything
  things stuff products items ones those das die der was kostet kosten darf soll sein geht ein einen einziger einzigen zeig
  zeige zeigen mir uns etwas artikel produkte qui coute coutent de couter depasser depasse d depenser mettre payer debourser question
  veux voudrais un seul centime montre montrez proposez moi nous articles produits`.split(/\s+/),
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
    `altogether, all together, in total, total, totalling, together, in all, all in, overall, for all of them, for them all, for everything,
    for both, for all two, for all three, for all four, for all five, for all six, for all 2, for all 3, for all 4, for all 5, for all 6,
    fur alle, fur alle drei, fur alle vier, fur beide, fur alles, pour tous, pour toutes, pour les deux, pour les trois,
    pour les quatre,
    for the lot, the lot, the whole lot, whole lot, the whole order, whole order, for the set, for the whole set, sum, in sum, summe, in summe, for the two, for the three, for the four, for the five, for the six, for the pair, alles in allem, in allem,
    le tout, l ensemble, les deux, les trois, les quatre, les cinq, les six, combined, insgesamt, zusammen, alles zusammen, alle zusammen, in summe, gesamt, gesamtpreis, gesamtbudget,
    im ganzen, au total, en tout, total de, ensemble, budget total, pour le tout, a total of, for a total of, total budget of,
    total budget, total cost`,
  ],
]);
/** Each piece is meant. */
export const EACH = phraseTable<'each'>([
  [
    'each',
    `each, apiece, per piece, a piece, per item, per unit, je, zu je, pro stuck, je stuck, das stuck, jeweils, chacun, chacune, piece,
    la piece, par piece, a lunite, lunite`,
  ],
]);
