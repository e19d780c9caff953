import { otherWordsFor } from './thesaurus.ts';

/**
 * Words for several kinds of goods, in English and in the singular, and after the colon the kinds. A shop that has no `hat` is
 * asked for beanies and caps. Other languages come by the thesaurus.
 */
const KINDS = `
hat: beanie, cap, beret, fedora, sunhat
headwear, headgear: hat, beanie, cap, headband, beret
shoe, footwear: boot, sneaker, sandal, loafer, slipper, clog
jewellery, jewelry: necklace, bracelet, earring, ring, pendant, brooch
knitwear: sweater, cardigan, beanie, scarf, jumper
outerwear: jacket, coat, vest, parka, raincoat
top: tee, tank, shirt, blouse, sweatshirt, sweater
bottom: pant, short, trousers, legging, skirt, jean, capri
clothes, clothing, apparel: shirt, tee, tank, trousers, pant, short, jacket, coat, sweater, sweatshirt, hoodie, dress, skirt
sportswear, activewear, gymwear: tee, tank, short, legging, hoodie, pant, bra
underwear: sock, bra, boxer, brief, vest
luggage: suitcase, backpack, bag, duffel
cutlery, silverware, flatware: knife, fork, spoon
crockery, tableware, dinnerware, dish, dishes: plate, bowl, mug, cup, teapot, saucer
drinkware: mug, cup, bottle, glass, tumbler
cookware: pan, pot, casserole, wok, skillet, saucepan
furniture: chair, table, stool, shelf, sofa, desk, bed, dresser, bench
seat, seating: chair, stool, sofa, bench, armchair, hammock
torch, flashlight: torch, flashlight, headlamp, lantern
lighting: lamp, lantern, chandelier, headlamp, torch
stationery: notebook, pen, pencil, planner, paper
home textile, textile, soft furnishing: blanket, cushion, rug, towel, bedding, curtain
home fragrance: candle, diffuser, incense, potpourri
tool: hammer, screwdriver, wrench, plier, saw, drill, axe, trowel, secateurs
musical instrument, instrument: guitar, piano, drum, violin, flute, trumpet, keyboard, saxophone, cello, harp
string instrument: guitar, violin, cello, harp, ukulele, banjo
percussion: drum, djembe, cymbal, tambourine, xylophone
wind instrument: flute, trumpet, saxophone, clarinet, trombone
electronics, gadget: headphones, speaker, camera, television, laptop, charger
flower: bouquet, arrangement, wreath, rose, tulip, lily, orchid
drink: tea, coffee, juice, water, beer, wine
fabric: linen, cotton, wool
pottery: mug, bowl, vase, pot, planter, plate
camping gear, camping equipment: tent, stove, lantern, headlamp, hammock
garden tool: trowel, secateurs, spade, rake, shears
writing utensil, writing instrument: pen, pencil
glassware: glass, tumbler, jar, bottle
snack: chip, nut, cracker, popcorn, pretzel, cookie
vegetable: carrot, tomato, pepper, broccoli, onion, potato, cucumber, spinach
fruit: apple, banana, orange, grape, berry, mango, pear, melon
seafood: fish, salmon, shrimp, lobster, crab, tuna, oyster
meat: beef, steak, pork, lamb, chicken, sausage, bacon
pastry, baked goods: croissant, muffin, cake, donut, bread, tart, pie
hot drink, beverage: coffee, tea, cocoa
wool: lambswool, merino, cashmere, mohair, alpaca
leather: suede, nubuck
plastic: acrylic, polypropylene, pvc
metal: steel, brass, copper, iron, aluminium, aluminum
synthetic: polyester, nylon, acrylic, spandex, elastane
nut: almond, walnut, hazelnut, peanut, pecan, cashew, pistachio
dairy: milk, cheese, butter, cream, yogurt, yoghurt
alcohol: wine, beer, whisky, whiskey, vodka, gin, rum
appliance: kettle, toaster, blender, vacuum, iron, fan, oven, microwave
`;

const BY_WORD = new Map<string, string[]>();
for (const line of KINDS.trim().split('\n')) {
  const [words = [], kinds = []] = line.split(':').map((part) => part.split(',').map((word) => word.trim()));
  for (const word of words) BY_WORD.set(word, kinds);
}

/** The kinds of what a word names, in English; none for a word that names one kind of goods. */
export function kindsOf(word: string): string[] {
  return [word, ...otherWordsFor(word)].flatMap((each) => BY_WORD.get(each) ?? []);
}
