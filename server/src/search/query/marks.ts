import { phraseAt, phraseTable } from '../words/phrases.ts';
import type { Token } from '../words/tokens.ts';

/** Fixed phrases that state the availability, a reduction, the order or a preference; normalized, without accents. */
export interface Mark {
  kind: 'in_stock' | 'wish' | 'sort' | 'value';
  value: string;
}

const mark = (kind: Mark['kind'], value: string, list: string): [Mark, string] => [{ kind, value }, list];

/** The value of the constraint that asks for reduced prices. */
export const ON_SALE = 'on_sale';

const LOW_PRICE = `cheap, affordable, inexpensive, low cost, low priced, reasonably priced, budget friendly`;
const SHORT: [Mark, string][] = [
  mark('in_stock', 'true', 'in stock, available now, available today, ready to ship, available immediately'),
  mark(
    'sort',
    'price_asc',
    'cheapest, least expensive, lowest price, lowest priced, cheapest first, lowest price first, most affordable, least costly',
  ),
  mark('sort', 'price_desc', 'most expensive, highest price, highest priced'),
  mark('sort', 'newest', 'newest, newest first, most recent, new arrivals'),
  mark(
    'sort',
    'best_selling',
    'best selling, bestselling, best seller, best sellers, bestseller, bestsellers, most popular',
  ),
  mark('wish', 'low_price', LOW_PRICE),
  mark('wish', 'high_price', 'high end, luxury, expensive'),
  mark(
    'wish',
    'rating',
    `highly rated, top rated, best rated, well rated, decently rated, well reviewed, great reviews, good reviews, good ratings,
    great ratings, strong ratings, excellent ratings, high ratings`,
  ),
  mark('wish', 'popular', 'popular, many reviews, lots of reviews, a lot of reviews'),
];

/** What is read of the words that somebody types into a search field. */
export const MARKS_OF_KEYWORDS = phraseTable(SHORT);

/** What is read of whole sentences. */
export const MARKS_OF_SENTENCES = phraseTable([
  ...SHORT,
  mark(
    'in_stock',
    'true',
    `in stock now, in stock true, in stock only, in stock = true, currently in stock, available, available right now,
    available straight away, immediately available, available at once, right away, straight away, immediately, in store, on hand, only if you have it, only if you have them, nur wenn ihr es habt, nur wenn ihr sie habt, seulement si vous l avez, can actually ship, can still ship, can really ship, can actually send, can actually deliver, can ship today, can ship now, can ship, ship today,
    ships today, ships now, ships immediately, shipped today, can send today, can deliver now, can deliver today, deliverable,
    ready for shipping, ready to be shipped, ready for dispatch, immediate delivery, not sold out, not out of stock,
    nothing sold out, nothing that is sold out, nothing out of stock, nothing that is out of stock, no sold out,
    isnt sold out, arent sold out, not be sold out, not sold out yet, has not sold out, hasnt sold out, have not sold out,
    havent sold out, still available, still in stock, you still have, you still got, you have in stock, you actually have, you have there, stock only, with stock, stocked, in your warehouse, in the warehouse, leave the warehouse today,
    can leave today, can dispatch today, can dispatch now, dispatch today, dispatched today, dispatched immediately, dispatched at once, immediate dispatch, immediate shipping, can get today, can get now, can get right now,
    can have today, can order right now, get it today, sent today, sent immediately, sent out today, ready now, that is there, no preorder, no preorders, not on preorder, no back order, no back orders, no backorder, no backorders, not on backorder,
    ab lager, ihr noch habt, sie noch haben, ihr da habt, ihr gerade da habt, umgehend lieferbar, sofort verschicken, sofort verschickt, sofort versandfertig, versandfertig, heute verschicken, heute verschickt,
    heute noch verschickt, heute noch rausgeht, heute rausgeht, heute versenden, heute versendet, sofort versenden, sofort versendet, sofort zu haben, sofort haben, sofort da, keine vorbestellung, keine vorbestellungen, sofort lieferbare, sofort lieferbarer, sofort lieferbares, sofort lieferbaren, sofort verfugbare, sofort verfugbarer, auf lager, lagernd, vorratig, noch da, noch verfugbar, noch lieferbar, noch auf lager, schnell lieferbar, gleich lieferbar,
    lieferbare, lieferbarer, lieferbares, lieferbaren, verfugbare, verfugbarer, verfugbares, verfugbaren, vorratige, vorratig, lieferbar, sofort lieferbar, sofort verfugbar, verfugbar, direkt lieferbar, nicht ausverkauft,
    nichts ausverkauftes, nichts was ausverkauft ist, am lager, jetzt lieferbar,
    dispo, dispo tout de suite, dispo immediatement, prete a expedier, pret a expedier, prets a expedier, pretes a expedier, expedie aujourdhui, expediee aujourdhui, expedies aujourdhui, expediees aujourdhui, expedie aujourd hui, expediee aujourd hui,
    envoyer aujourdhui, envoyer aujourd hui, expedier aujourdhui, envoyer tout de suite, expedition immediate, livraison immediate, expedie tout de suite, pas de precommande, en stock, disponible, disponibles, disponible immediatement, disponible tout de suite, disponible de suite,
    disponible maintenant, livrable immediatement, livrable, livrables, tout de suite, encore disponible, toujours disponible, encore en stock, pas epuise, pas epuisee, pas en rupture de stock, pas en rupture`,
  ),
  mark(
    'value',
    ON_SALE,
    `on sale, in the sale, in the sales, on special, at a special price, special price, special prices, below the regular price, on offer, special offer, special offers, reduced, price reduced, with reduced price, reduced price,
    reduced prices, discounted, at a discount, with a discount, with discount, marked down, markdown, markdowns, on discount,
    price cut, price cuts, price drop, price drops, price reduction, price reductions, half price, half off, money off, below the original price, below original price, than usual, than before, than normal, than normally, than they were, than it was, als sonst, als vorher, als ublich, que d habitude, qu avant, knocked down, cheaper than before, cheaper than usual, went down in price,
    gone down in price, come down in price, has a price drop, slashed, slashed prices, lower than before, any offers, any offers on, offers on, current offers, on deal, deal, deals, sale, markdowns, outlet, bargain, bargains, on promotion, sale items, sale prices, on sale true, clearance,
    im ausverkauf, ausverkauf, zum sonderpreis, sonderpreis, sonderpreise, heruntergesetzt, heruntergesetzte, heruntergesetzter, heruntergesetztes, heruntergesetzten, herabgesetzter, herabgesetztes, herabgesetzten, verbilligt, verbilligte, verbilligter, verbilligtes,
    verbilligten, vergunstigt, vergunstigte, vergunstigter, vergunstigtes, vergunstigten, ermaßigt, ermaßigte, ermaßigter, ermaßigtes, ermaßigten, ermassigt, ermassigte, ermassigter, ermassigtes, ermassigten, schnappchen, preisnachlass, mit preisnachlass, rabatt, rabatte, rabattierter, rabattiertes, rabattierten,
    gunstiger als sonst, billiger als sonst, gunstiger als vorher, angebot, im angebot, reduziert, reduzierte, reduzierter, reduziertes, reduzierten, herabgesetzt, herabgesetzte, im sale, sonderangebot,
    sonderangebote, rabattiert, rabattierte, mit rabatt, im preis gesenkt, preisreduziert, angebote,
    remises, remisee, remisees, brade, bradee, brades, bradees, prix casse, a prix casse, prix casses, a prix casses, bonne affaire, bonnes affaires, avec reduction, avec une reduction, reduction, reductions, rabais, avec rabais, en rabais,
    prix a baisse, prix ont baisse, prix baisse, baisse de prix, promos, en solde, en soldes, solde, soldes, soldee, soldees, en promotion, en promo, promotions, promo, remise, remises, en reduction,
    avec remise, a prix reduit, prix reduit, prix reduits`,
  ),
  mark(
    'sort',
    'price_asc',
    `cost the least, costs the least, cost least, costs least, am wenigsten kostet, am wenigsten kosten, kostet am wenigsten,
    coute le moins, coutent le moins, priced lowest, lowest in price, with the lowest price, cheapest one, sorted by price, sort by price, ordered by price,
    order by price, sorted by price ascending, sorted ascending by price, sorted from cheapest, by price ascending,
    price ascending, price asc, price _ asc, ascending by price, price low to high, low to high, cheapest to most expensive,
    cheap to expensive, from cheap to expensive, sorted from cheap to expensive, lowest to highest,
    billigste, billigster, billigstes, billigsten, gunstigste, gunstigster, gunstigstes, gunstigsten, preiswerteste,
    preiswertesten, preiswertester, preisgunstigste, am gunstigsten, am billigsten, nach preis sortiert, nach preis,
    preis aufsteigend, von gunstig nach teuer, von billig nach teuer, aufsteigend nach preis, nach preis aufsteigend, moins cher, moins chere, moins chers, moins cheres,
    le moins cher, la moins chere, les moins chers, les moins cheres, par prix croissant, prix croissant, du moins cher au plus cher, trie par prix,
    tries par prix`,
  ),
  mark(
    'sort',
    'price_desc',
    `cost the most, costs the most, cost most, costs most, am meisten kostet, am meisten kosten, kostet am meisten,
    coute le plus, coutent le plus, coute le plus cher, priciest, dearest, costliest, priced highest, sorted by price descending, sorted descending by price, price descending,
    price desc, price _ desc, expensive to cheap, from expensive to cheap, sorted from expensive to cheap, von teuer nach gunstig,
    von teuer nach billig, du plus cher au moins cher,
    by price descending, descending by price, price high to low, high to low, most expensive first, highest price first,
    priciest first, teuerste, teuerster, teuerstes, teuersten, am teuersten, nach preis absteigend, preis absteigend,
    absteigend nach preis, plus cher, plus chere, plus chers, le plus cher, la plus chere, les plus chers, les plus cheres,
    par prix decroissant, prix decroissant`,
  ),
  mark(
    'sort',
    'newest',
    'latest, neueste, neuester, neuestes, neuesten, neuheiten, plus recent, plus recents, nouveautes',
  ),
  mark('sort', 'best_selling', 'meistverkaufte, meistverkauften, beliebteste, beliebtesten, plus vendu, plus vendus'),
  mark(
    'wish',
    'low_price',
    `not expensive, not too expensive, not so expensive, not very expensive, not that expensive, too expensive, too pricey,
    not pricey, not too pricey, not too dear, not overpriced, nothing expensive, nothing too expensive, isnt expensive,
    isnt too expensive, not cost a fortune, doesnt cost a fortune, break the bank, wont break the bank, not break the bank, doesnt break the bank, doesnt cost much, low price, low prices, easy on the wallet,
    good value, cheaper, less expensive, on a budget, on a small budget, gunstig, gunstige, gunstiger, gunstiges, gunstigen, billig, billige,
    billiger, billiges, billigen, preiswert, preiswerte, preiswerter, preiswertes, preiswerten, nicht teuer, nicht zu teuer,
    nicht so teuer, nicht allzu teuer, nichts teures, zu teuer, kostengunstig, pas cher, pas chere, pas chers, pas cheres,
    pas trop cher, pas trop chere, pas trop chers, trop cher, bon marche, abordable, abordables, economique`,
  ),
  mark(
    'wish',
    'high_price',
    'premium, upmarket, top of the line, top of the range, high priced, pricey, hochwertig, teuer, teure, teurer, haut de gamme, de luxe',
  ),
  mark('wish', 'popular', 'beliebt, beliebte, beliebter, populaire, populaires'),
  mark(
    'wish',
    'largest',
    'most capacity, the most capacity, largest capacity, highest capacity, greatest capacity, biggest capacity, most volume, most room, most space, roomiest, longest, widest, tallest, bulkiest, langste, langster, langstes, langsten, breiteste, breitester, breitestes, breitesten, hochste, geraumigste, geraumigsten, plus long, plus longue, plus longs, plus longues, plus large, plus larges, plus haut, plus haute, plus spacieux, biggest, largest, großte, großter, großtes, großten, grosste, grossten, plus grand, plus grande, plus grands, plus grandes',
  ),
  mark(
    'wish',
    'smallest',
    'shortest, narrowest, lowest capacity, smallest capacity, least capacity, kurzeste, kurzester, kurzestes, kurzesten, schmalste, schmalsten, niedrigste, plus court, plus courte, plus etroit, plus etroite, smallest, tiniest, kleinste, kleinster, kleinstes, kleinsten, plus petit, plus petite',
  ),
]);

/** What cannot be had, which is asked for in no way but by refusing it. */
const UNAVAILABLE = phraseTable<'unavailable'>([
  [
    'unavailable',
    `sold out, out of stock, out - of - stock, unavailable, not available, not in stock, on backorder, backordered, on back order, backorder, ausverkauft, ausverkaufte,
    ausverkaufter, ausverkauftes, ausverkauften, vergriffen, vergriffene, vergriffenes, nicht lieferbar, nicht verfugbar, nicht auf lager, epuise, epuisee, epuises, epuisees,
    en rupture, en rupture de stock, indisponible, indisponibles`,
  ],
]);
const REFUSING = new Set(
  `no not nothing without except hide exclude excluding skip ignore avoid leave omit isnt arent keine keinen kein keiner nicht nichts ohne außer
  ausser pas non sans rien sauf exclure`.split(/\s+/),
);
const MAX_BETWEEN = 4;
const BETWEEN = new Set(
  'the any that which is are out anything everything items products ones what s der die das ist sind was alles qui que est sont soit les de ce tout'.split(
    ' ',
  ),
);

/** `nothing that is sold out`, `hide everything out of stock`: the end of what refuses what cannot be had. */
export function endOfRefusedUnavailable(tokens: Token[], at: number): number | undefined {
  if (!REFUSING.has(tokens[at]?.text ?? '')) return undefined;
  for (let i = at + 1; i <= at + MAX_BETWEEN; i += 1) {
    const found = phraseAt(UNAVAILABLE, tokens, i);
    if (found) return found.to;
    if (!BETWEEN.has(tokens[i]?.text ?? '')) return undefined;
  }
  return undefined;
}
