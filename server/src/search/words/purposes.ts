/**
 * What serves a purpose: parts of the body, pets, hobbies, weather and whom it is for, each in English, German and French, and
 * after the colon the things that serve it. It is asked where a sentence names no thing: `something for my head`.
 */
const PURPOSES = `
head, kopf, tete: beanie, hat, cap, headband, helmet
ear, ohr, ohren, oreille: beanie, earmuff, earring, headphones, earplug
neck, hals, cou: scarf, necklace, tie
hand, hands, hande, main, finger, doigt: glove, mitten, handcream
wrist, handgelenk, poignet: watch, bracelet
foot, feet, fuß, fuss, fuße, fusse, pied, toe, zehen: sock, slipper, shoe, boot, sandal
leg, bein, jambe: trousers, leggings, jeans, tights
eye, auge, augen, yeux: glasses, sunglasses, goggles
skin, haut, peau, face, gesicht, visage: soap, lotion, cream, serum, cleanser
hair, haar, haare, cheveux: shampoo, conditioner, hairbrush, comb
tooth, teeth, zahn, zahne, dent: toothbrush, toothpaste
smell, smelling, riecht, riechen, duftet, duften, sent, sentir, odeur: scent, diffuser, perfume, candle, incense, potpourri
wear, wearing, outfit, anziehen, verkleiden, porter, tenue, deguiser: costume, mask, dress, suit, shirt, jacket, trousers, sweater
dog, puppy, hund, chien, chiot: pet, pup, canine, collar, leash, kennel
cat, kitten, katze, chat, chaton: pet, kitten, feline, collar, litter
bird, birds, vogel, oiseau: birdhouse, feeder, birdseed
gardener, gartner, gartnerin, gartnern, jardinier, jardiniere: trowel, secateurs, planter, seed, shovel, rake, pruner
guitarist, gitarrist, gitarristin, guitariste: guitar, plectrum, capo
drummer, schlagzeuger, batteur: drum, drumstick, cymbal
pianist, pianiste: piano, keyboard
violinist, geiger, geigerin, violoniste: violin
musician, musiker, musikerin, musicien, musicienne: guitar, piano, drum, violin, trumpet, headphones
angler, fisherman, fishing, fischer, angeln, pecheur, pecher, peche: fishing, rod, reel, lure
camper, camping, zelten, camps: tent, camping, lantern, stove
hiker, wanderer, wanderin, randonneur, randonneuse: backpack, boot, pole, tent, headlamp
runner, jogger, laufer, lauferin, coureur, coureuse: running, trainer, shorts
cyclist, radfahrer, radfahrerin, cycliste: bicycle, helmet, pannier
swimmer, swimming, schwimmen, nager, natation: swimsuit, goggles, towel
traveller, traveler, reisender, voyageur, voyageuse: suitcase, backpack, passport
cook, chef, koch, kochin, cuisinier, cuisiniere: knife, pan, apron, casserole, pot
baker, baking, backen, patisserie: apron, bakeware, whisk, bowl
reader, bookworm, leser, leserin, leseratte, lecteur, lectrice: book, lamp, bookmark
writer, writing, schreiben, ecrire, ecrivain: pen, notebook, pencil, paper
artist, painter, drawing, painting, zeichnen, malen, dessiner, peindre: pencil, paint, easel, sketchbook
sleep, schlafen, einschlafen, dormir: pillow, blanket, bedding, mattress, sleeping, hammock
sit, sitting, sitzen, asseoir: chair, stool, sofa, bench, armchair
rain, rainy, regen, pluie: umbrella, raincoat, poncho
wife, girlfriend, sister, mother, mum, mom, aunt, grandma, grandmother, frau, freundin, schwester, mutter, mama, tante, oma, soeur, mere, maman: women
husband, boyfriend, brother, father, dad, uncle, grandpa, grandfather, mann, bruder, vater, papa, onkel, opa, mari, frere, pere: men
child, kid, baby, son, daughter, nephew, niece, kind, kinder, sohn, tochter, enfant, bebe, fils, fille: children, toy
sunshine, sonne, soleil: sunglasses, sunscreen, parasol
`;

const BY_PURPOSE = new Map<string, string[]>();
for (const line of PURPOSES.trim().split('\n')) {
  const [words = [], things = []] = line.split(':').map((part) => part.split(',').map((word) => word.trim()));
  for (const word of words) BY_PURPOSE.set(word, things);
}

/** The things that serve a purpose, in English and in the singular; none for a word that is no purpose. */
export function thingsFor(word: string): string[] {
  return BY_PURPOSE.get(word) ?? [];
}
