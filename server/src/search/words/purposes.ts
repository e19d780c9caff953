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
sunshine, sun, sunny, sonne, soleil: sunglasses, sunscreen, parasol, hat
her, woman, lady, girl, gal: women
him, guy, bloke, dude, gent, boy: men
read, lesen, lire: book, bookmark, lamp, glasses
reading, print: glasses, lamp, book, bookmark
dark, darkness, dunkel, dunkelheit, nuit, obscurite, night, nacht: headlamp, lantern, torch, flashlight, lamp
prune, pruning, hedge, shrub, schneiden, zuruckschneiden, tailler, roses, rosen: secateurs, pruner, shears
dig, digging, graben, creuser, weed, weeding, jaten: trowel, spade, shovel, hoe
bees, bee, butterfly, butterflies, pollinator, bienen, biene, schmetterling, insekten, abeille, abeilles, papillon: seed, wildflower, lavender
sow, sowing, saen, aussaen, semer, grow, growing, plant, planting, pflanzen, planter: seed, pot, planter, trowel
lawn, rasen, pelouse: mower, rake, seed
boil, boiling, kochen, wasserkochen, bouillir: kettle, stove, saucepan
brew, brewing, aufbruhen, infuser: teapot, kettle, coffee
fry, frying, braten, frire: pan, skillet
bake, bakes, backen, backt: bakeware, apron, whisk, bowl, pan
chop, chopping, slice, slicing, cut, cutting, hacken, couper, decouper: knife, board, chopping
tree, trees, branch, branches, baum, baume, aste, arbre, arbres, fell, felling, timber: axe, chainsaw, saw, secateurs
spill, spilling, splash, stain, stains, kleckern, beklecker, tacher: apron, towel
dry, drying, wipe, abtrocknen, trocknen, essuyer, secher: towel
cooking, cook, cooks, koche, kocht, cuisiner, cuisine: knife, pan, casserole, apron, pot, board
breakfast, fruhstuck, dejeuner, muesli, cereal, porridge: bowl, mug, plate
drink, drinking, trinken, boire, thirsty, durst, soif: bottle, mug, cup, glass, tumbler
store, storing, storage, aufbewahren, verstauen, lagern, ranger, rangement, conserver: jar, box, basket, rack, shelf, tray, holder
tidy, organise, organize, organizing, clutter, ordnung, aufraumen, ordnen, organiser: tray, box, basket, organizer, shelf, rack
firewood, logs, kindling, feuerholz, brennholz, kaminholz, buches: log, basket, rack, axe, holder
fire, campfire, feuer, lagerfeuer, feu: fire, stove, axe, bowl, log
carry, carrying, schlep, tragen, transportieren, porter, transporter: backpack, bag, tote
groceries, shopping, einkaufen, einkauf, courses, market, markt, marche: tote, basket, bag
cold, freezing, freeze, chilly, frieren, friere, kalt, kalte, froid, froide, gele: blanket, sweater, beanie, scarf, glove, sock, jacket, hoodie
warm, cosy, cozy, snug, kuschelig, chaud: blanket, sweater, beanie, scarf, sock, hoodie
wet, soaked, soaking, drizzle, downpour, storm, nass, regnet, mouille, pleut, averse: umbrella, raincoat, rain, poncho, boot
hot, heiss, heiß, brulant: insulated, thermos, flask
insulating, warmers, keeping: insulated, thermos
hostess, host, gastgeber, gastgeberin, hote: candle, vase, wine, chocolate
bookshelf, books, bucher, livres: shelf, bookend, bookmark
bald, scalp, sunburn, glatze: hat, cap, beanie, sunscreen
snore, snoring, noise, noisy, larm, bruit: earplug, headphones
knee, knees, knie, genou: mat, pad, cushion
posture, rucken, dos: cushion, chair, pillow
bored, boredom, langeweile, ennui: puzzle, book, game, toy
cosplay: costume, dress
runny, esstisch: plate, bowl
plants, zimmerpflanzen, giessen, gießen, arroser: watering, can, pot, planter
birds, vogel, oiseaux: bird, birdhouse, feeder
keys, schlussel, cles: tray, bowl, hook, keyring
pens, stifte, stylos, pencils: pen, roll, tray, case
recharge, aufladen: charger, battery
stairs, hallway, flur, couloir, entree: rug, lamp, basket, hook
bedroom, schlafzimmer, chambre: bedding, lamp, pillow, blanket
wohnzimmer, salon: rug, cushion, lamp, throw, sofa
balcony, terrace, patio, balkon, terrasse, balcon: planter, chair, lantern, hammock
mud, muddy, puddle, puddles, matsch, pfutzen, boue, flaque: boot, wellington
sweat, sweating, schwitzen, transpirer: towel, tank, tee, headband
gym, workout, fitness, exercise, training, fitnessstudio: short, tank, tee, legging, dumbbell, mat
yoga, pilates, meditation: mat, legging, block, strap
run, running, jog, marathon, laufen, joggen, courir: running, trainer, short, sneaker
bike, biking, cycling, radeln, radfahren, velo: bicycle, helmet, pannier, glove
ski, skiing, snow, schnee, neige, snowboard: ski, jacket, glove, beanie, goggles
beach, sea, strand, meer, plage, mer: towel, sunglasses, tote, swimsuit, hammock, sandal
picnic, picknick, pique: blanket, basket, mug, bottle, tote
mountain, mountains, berg, berge, montagne, hike, hikes, wandern, wanderung, randonnee: backpack, boot, bottle, jacket, headlamp, sock
travel, trip, journey, flight, holiday, vacation, reisen, urlaub, voyager, vacances: suitcase, backpack, bag, bottle
commute, commuting, office, work, desk, buro, arbeit, bureau, travail: bag, backpack, desk, notebook, pen, lamp
write, writes, letters, letter, diary, journal, briefe, brief, tagebuch, ecrit, lettres, lettre: pen, notebook, paper, pencil
notes, note, notizen: notebook, pen
draw, draws, sketch, sketching, paint, paints, colour, colouring, malt, zeichnet, dessine: pencil, pencils, paint, sketchbook
sleeping, sleepy, nap, insomnia, schlaf, sommeil, sieste: pillow, blanket, bedding, bed, hammock, sleeping
relax, relaxing, rest, resting, laze, lazing, lounging, chilling, ausruhen, faulenzen, reposer, paresser, unwind, chill, entspannen, detendre: candle, hammock, bath, blanket, diffuser
lounge, lie, liegen, allonger: hammock, sofa, chair, blanket
romantic, romance, romantisch, romantique: candle, rose, lamp
bright, brighter, light, lighting, beleuchten, hell, eclairer, lumiere: lamp, lantern, light
bath, bathe, bathing, baden, bain, shower: towel, bath, soap, robe
clean, cleaning, putzen, nettoyer: brush, soap, vacuum, towel
wash, washing, waschen, laver, dishes, abwasch, vaisselle: soap, brush, towel
shave, shaving, rasieren, raser: razor, shaving
hairstyle, frisur, coiffure: brush, comb, hair
chew, chewing, kauen, macher: toy, chew, bone
walkies, gassi: leash, collar
music, listen, listening, musik, horen, musique, ecouter: headphones, speaker, guitar, piano
sing, singing, singen, chanter: microphone
photo, photos, photography, fotografieren, photographier: camera, tripod, frame
call, calls, anrufen, appeler: phone, headset
wall, walls, wand, mur: print, poster, clock, frame, art
floor, boden, sol: rug, carpet, mat
window, windows, fenster, fenetre: curtain, blind
table, dinner, dining, tisch, abendessen, diner: plate, bowl, napkin, candle, tablecloth
wedding, hochzeit, mariage, bride: ring, dress, bouquet, veil
halloween, fasching, karneval, carnaval: costume, mask, pumpkin
xmas, christmas, weihnachten, noel: ornament, wreath, christmas, tree, stocking
vampire, witch, pirate: costume, mask, cape
thirst: bottle
katzenfan: pet, cat
vision, sehen, voir, sight, eyesight: glasses
time, clock, uhrzeit, heure, late: clock, watch
wake, aufwachen, aufstehen, reveiller: clock, alarm
carpenter, builder, plumber, electrician, mechanic, handyman, craftsman, tischler, schreiner, klempner, handwerker, menuisier, plombier, bricoleur: tool, hammer, saw, drill, wrench, screwdriver
eat, eating, food, hungry, hunger, essen, hungrig, manger, faim: food, bread, cheese, fruit, sandwich, salad, soup, snack
sweet, susses, sucre: chocolate, candy, cookie, cake
barbecue, bbq, grilling, grillen, grillade: grill, barbecue, charcoal, apron, tongs
gardener, gardening, gartenarbeit, gartnere, jardiner, jardine: trowel, secateurs, glove, planter, seed, shovel, rake, watering, pruner
raining, rains, pouring, pours, showers, shower, regnet, schuttet, pleut, pleuvoir, pluvieux, regnerisch: umbrella, raincoat, rain, poncho, boot
snowing, snows, schneit, neige, icy, eis, verglas: boot, glove, beanie, scarf, jacket, sled
windy, breeze, breezy, windig, sturm, venteux, vent: jacket, windbreaker, beanie, scarf
sunburnt, suntan, sonnen, bronzer, glare, sunbathing: sunscreen, sunglasses, hat, towel, hammock
mosquito, mosquitoes, mucken, moustique, moustiques, insects, insect: repellent, net, incense, candle
hike, hiking, trek, trekking, rambling, ramble, wandertour, randonner: backpack, boot, pole, bottle, jacket, headlamp, sock, tent
camp, camping, campen, zelte, camper, bivouac, overnight: tent, sleeping, stove, lantern, headlamp, hammock, mug
canoe, canoeing, kayak, kayaking, paddle, paddling, rowing, kanu, paddeln, boat, boating, segeln, sailing, canoë, pagayer, voile: dry, waterproof, paddle, kayak, vest
climb, climbing, klettern, bergsteigen, escalade, grimper: rope, backpack, shoe, glove
ride, riding, horse, reiten, cheval, equitation: boot, glove, helmet
dance, dancing, ballet, tanzen, danser, danse: legging, shoe, skirt, tank, dress
box, boxing, lift, lifting, weightlifting, weights, crossfit, gewichtheben, krafttraining, musculation: tank, short, glove, tee, bra
spin, spinning, aerobics, zumba, cardio, hiit: short, tank, tee, legging, bra
tennis, golf, squash, badminton, basketball, football, soccer, fussball: short, tee, ball, racket, sneaker
stretch, stretching, dehnen, etirement, meditate, meditating, meditieren, mediter: mat, legging, cushion, candle
knit, knitting, sew, sewing, stricken, nahen, tricoter, coudre: needle, yarn, thread, scissors, wool
calligraphy, kalligrafie, calligraphie, signing, sign, unterschreiben, signer, correspondence: pen, ink, paper
study, studying, homework, student, school, lernen, schule, studium, studieren, etudier, ecole, etudiant, pupil, schuler: notebook, pen, planner, lamp, backpack, desk
plan, planning, schedule, appointments, appointment, organised, planen, termine, planifier, rendezvous: planner, calendar, diary, notebook
type, typing, computer, laptop, homeoffice: keyboard, desk, mouse, pad, lamp
declutter, clutter, mess, messy, tidying, unordnung, desordre, rangements: box, basket, tray, shelf, organizer, rack
laundry, toys, wasche, spielzeug, linge, jouets: basket, box, hamper
bottles, spices, pasta, rice, flour, sugar, cereals, cookies, biscuits, mehl, zucker, nudeln, reis, farine, sucre, pates, riz, vorrate: jar, container, tin
knit, warmth, warming, warms, aufwarmen, warmen, rechauffer: blanket, sweater, beanie, scarf, sock, throw
cuddle, snuggle, curl, kuscheln, blottir, movie, movies, filmabend: blanket, throw, cushion, pillow
nap, doze, siesta, dosen, nickerchen, sleeper, bedtime, nuits: pillow, blanket, hammock, bedding
guests, visitors, company, gaste, besuch, invites, entertaining: bowl, plate, glass, candle, bedding
serve, serving, servieren, servir, lunch, mittagessen, supper, brunch, goûter, meal, meals, repas, mahlzeit: bowl, plate, board, dish
soup, stew, stews, roast, roasting, braise, suppe, eintopf, schmoren, ragout, mijoter, soupe, goulash: casserole, pot, bowl, saucepan
slicing, carve, carving, dice, dicing, fillet, schneidet, schnippeln, trancher, emincer, tomatoes, onions, herbs, zwiebeln, oignons: knife, board, chopping
bread, loaf, brot, toast, sandwiches, sandwich, cheese, kase, fromage: board, knife, toaster
espresso, cappuccino, latte, barista, filterkaffee: coffee, kettle, mug, grinder
hydrated, hydration, hydrate, refreshment, trinke, hydrater: bottle, flask, tumbler
evening, evenings, dusk, abend, abends, soir, soiree, atmosphere, ambience, stimmung, ambiance, mood: candle, lamp, lantern
feast, festmahl, banquet, tafel: candle, plate, bowl, glass, napkin
scent, scented, fragrant, aroma, perfumed, stink, stinks, smelly, geruch, parfumer, sentbon: candle, diffuser, scent, perfume, incense
electricity, power, blackout, stromausfall, panne: candle, lantern, headlamp, torch, flashlight
decorate, decorating, decoration, dekorieren, schmucken, decorer: ornament, wreath, candle, vase, frame, print, lamp, cushion
hang, hanging, aufhangen, suspendre, accrocher: hook, frame, clock, mirror, poster, print
mirror, reflection, makeup, schminken, maquiller: mirror, brush
punctual, punctuality, punktlich, ponctuel, timekeeping: watch, clock
sunday, weekend, wochenende, festival, daytrip, excursion, ausflug, sortie: backpack, blanket, bottle, tote
moving, move, housewarming, einzug, umzug, umziehen, demenager, emmenager, cremaillere: candle, mug, blanket, cushion, vase
thorns, dornen, epines, brambles, nettles, blisters: glove
weeds, unkraut, herbes: trowel, hoe, glove
seedlings, herb, tomatoes, krauter, aromatiques, flowers, blumen, fleurs: pot, planter, seed, watering
bbq, campfires, bonfire, marshmallow, marshmallows, brasier: fire, bowl, stove
wildlife, nest, nesting, sparrow, robin, tit, meise, spatz, nichoir, nistet: bird, birdhouse, feeder
whittle, whittling, schnitzen, sculpter: knife
lost, navigate, navigation, orientation, karte: compass, map, headlamp
repair, fix, reparieren, reparer, diy, heimwerken, bricolage, bricoler: tool, hammer, screwdriver, drill, wrench
fish, angle, pecher: fishing, rod, lure, reel
baby, newborn, neugeborene, nouveau: baby, blanket, toy, pacifier
garden, gardening, gartenarbeit, gartnern, jardiner, jardinage: trowel, secateurs, watering, glove, seed, planter, spade, rake
knit, knitting, crochet, stricken, hakeln, tricoter, crocheter: yarn, wool, needle, hook
sew, sewing, nahen, coudre, couture, mend, flicken: needle, thread, scissors, fabric
paddle, paddling, kayaking, canoeing, paddeln, pagayer: paddle, kayak, canoe, dry, vest
climb, climbing, klettern, bergsteigen, escalade, grimper: rope, harness, helmet, carabiner
ride, riding, reiten, equitation: helmet, boot, saddle
dance, dancing, ballet, tanzen, tanz, danser, danse: legging, shoe, skirt, dress
play, playing, spielen, spiel, jouer, jeu: toy, game, puzzle, ball
school, schule, ecole, student, studying, studieren, etudier, lessons: backpack, notebook, pen, pencil, bag
teacher, lehrer, lehrerin, professeur, enseignant: notebook, pen, mug, planner
plan, planning, appointments, planen, termine, planifier: planner, notebook, calendar
makeup, schminken, maquiller, lashes, lips, lippen, levres: makeup, mascara, lipstick, eyeshadow
nails, nagel, ongles: polish, nail
feed, feeding, futtern, nourrir: bowl, feeder, food, bottle
tea, tee, teatime: teapot, tea, kettle, mug, cup
coffee, kaffee, cafe, espresso: coffee, kettle, mug, cup, grinder
soup, suppe, soupe, stew, eintopf, ragout: bowl, casserole, pot, ladle
roast, roasting, schmoren, mijoter, rotir: casserole, pan, roasting
serve, serving, servieren, servir: tray, plate, bowl, board, platter
wine, wein, vin, toast, anstossen, trinquer: glass, wine, corkscrew, carafe
guests, guest, visitors, gaste, besuch, invites: towel, bedding, plate, glass, candle
bathroom, badezimmer: towel, soap, bath, mat
kitchen, kuche: knife, board, pan, apron, towel
nursery, kinderzimmer: blanket, lamp, rug, toy
laundry, schmutzwasche, linge: basket, hamper, detergent
homeoffice, arbeitszimmer: desk, lamp, chair, notebook
wind, windy, windig, vent, venteux, breeze: jacket, windbreaker, hoodie
winter, hiver: scarf, beanie, glove, coat, blanket, sweater
summer, sommer, ete, heat, hitze, chaleur: hat, sunglasses, short, sandal, tank, hammock
pouring, raining, rainstorm, schuttet, pluvieux: umbrella, raincoat, rain, poncho, boot
zeltlager, camper, wildnis, wilderness, backcountry: tent, sleeping, stove, lantern, headlamp
pack, packing, packen, bagages: suitcase, backpack, bag, duffel
hang, hanging, aufhangen, accrocher, suspendre: hook, hanger, rack, peg
anzunden, allumer: match, lighter, candle
decorate, decorating, decoration, dekorieren, decorer: vase, cushion, print, wreath, candle
shade, schatten, ombre: parasol, hat, umbrella
`;

const BY_PURPOSE = new Map<string, string[]>();
for (const line of PURPOSES.trim().split('\n')) {
  const [words = [], things = []] = line.split(':').map((part) => part.split(',').map((word) => word.trim()));
  for (const word of words) BY_PURPOSE.set(word, [...new Set([...(BY_PURPOSE.get(word) ?? []), ...things])]);
}

/** The things that serve a purpose, in English and in the singular; none for a word that is no purpose. */
export function thingsFor(word: string): string[] {
  return BY_PURPOSE.get(word) ?? [];
}
