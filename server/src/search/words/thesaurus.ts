import { isSlipOf } from './misspellings.ts';

/** Colours, of which the lines are like those of `GOODS`. A colour is rarely what is looked for. */
const COLOURS = `
black, schwarz, noir, noire
white, weiß, weiss, blanc, blanche
grey, gray, grau, gris, grise
red, rot, rouge
blue, blau, bleu, bleue
navy, dunkelblau, bleu marine, navy blue
green, grun, vert, verte
yellow, gelb, jaune
orange, orangefarben
purple, lila, violett, violet, violette, mauve
pink, rosa, rose
brown, braun, brun, marron
beige, creme
turquoise, turkis
charcoal, anthrazit, anthracite
plum, pflaume, prune
ochre, ocker, ocre
rust, rost, rouille
moss, moos
olive, oliv
burgundy, bordeaux, weinrot
gold, golden, dore, doree
silver, silbern, argent, argente, silber
cream, off white, ivory, elfenbein, ivoire, ecru
teal, petrol, canard, bleu canard
sage, salbei, sauge
mustard, senf, senfgelb, moutarde
lavender, lavendel, lavande
coral, koralle, corail
khaki, kaki
maroon, bordeaux
bronze
multicoloured, multicolored, colourful, bunt, mehrfarbig, multicolore
transparent, clear, durchsichtig
`;

/**
 * Words for the same goods: British and American, German and French. One line is one thing, its words separated by commas;
 * normalized, without accents and in the singular. A shop is asked for the others only where it has no such word itself.
 */
const GOODS = `${COLOURS}small, klein, petit, petite
large, groß, gross, grand, grande, big
medium, mittel, mittelgroß, moyen, moyenne
long, lang, longue
short, kurz, court, courte
wool, wolle, laine, woollen, woolen
cotton, baumwolle, coton
linen, leinen, lin
silk, seide, soie
leather, leder, cuir
wood, holz, bois, wooden, holzern, en bois
oak, eiche, chene
walnut, nussbaum, noyer
steel, stahl, acier
stainless steel, edelstahl, acier inoxydable, inox
copper, kupfer, cuivre
brass, messing, laiton
glass, glas, verre
ceramic, keramik, ceramique
terracotta, terrakotta, terre cuite
enamel, emaille
bamboo, bambus, bambou
marble, marmor, marbre
cork, kork, liege
stoneware, steingut, steinzeug, gres
plastic, kunststoff, plastik, plastique
paper, papier
polyester, polyester
rubber, gummi, caoutchouc
felt, filz, feutre
hemp, hanf, chanvre
waterproof, wasserdicht, impermeable, etanche
warm, chaud, chaude
women, woman, ladies, lady, female, damen, frauen, femme, dame
men, man, gentlemen, male, mens, herren, manner, homme
children, kids, child, kid, kinder, kind, enfant
jumper, sweater, pullover, pulli, pull, strickpullover, chandail
cardigan, strickjacke, gilet
sweatshirt, sweat, sweater
hoodie, hooded sweatshirt, kapuzenpullover, kapuzenpulli, sweat a capuche, hoody
t shirt, tee, tshirt, tee shirt, t shirts
vest, waistcoat, weste, gilet
tank top, tank, singlet, sleeveless top, debardeur, tanktop, tragertop
trousers, pants, pant, slacks, hosen, pantalon
shorts, short, kurze hose
leggings, legging, tights
jeans, jean, denim
skirt, jupe
dress, kleid
blouse, bluse, chemisier
shirt, hemd, chemise
jacket, jacke, veste, blouson, parka, anorak, windbreaker
raincoat, rain jacket, regenjacke, regenmantel, veste de pluie, rain coat, mackintosh
coat, mantel, manteau
suit, anzug
underwear, unterwasche, sous vetements
bra, buste halter, soutien gorge
sock, socken, chaussette
scarf, schal, halstuch, echarpe, foulard
beanie, mutze, bonnet, woolly hat, wool hat, wollmutze, bobble hat
cap, kappe, casquette
hat, hut, chapeau
glove, handschuh, handschuhe, gant
gardening glove, gartenhandschuh, gartenhandschuhe, gant de jardinage
belt, gurtel, ceinture
tie, krawatte, cravate
shoe, schuh, chaussure
trainer, sneaker, turnschuh
boot, stiefel, botte
rubber boot, wellington, wellington boot, welly, wellies, gummistiefel, botte en caoutchouc
sandal, sandale
slipper, hausschuh, pantoffel, chausson, pantoufle
umbrella, brolly, regenschirm, schirm, parapluie
backpack, rucksack, sac a dos, knapsack, daypack
bag, tasche, sac
handbag, purse, handtasche, sac a main
tote, tote bag, shopper, einkaufstasche, shopping bag, cabas
suitcase, koffer, valise
wallet, geldborse, portemonnaie, portefeuille
watch, wristwatch, uhr, armbanduhr, montre
clock, uhr, wanduhr, horloge, pendule
jewellery, jewelry, schmuck, bijou
earring, ohrring, ohrringe, boucle d oreille
necklace, halskette, kette, collier
bracelet, armband
ring, bague
glasses, spectacles, brille, lunettes
sunglasses, sonnenbrille, lunettes de soleil
mug, becher, tasse, kaffeebecher, henkelbecher
cup, tasse
plate, teller, assiette
bowl, schussel, schale, bol
teapot, teekanne, theiere
kettle, wasserkocher, wasserkessel, bouilloire
coffee, kaffee
bottle, flasche, bouteille, gourde
insulated bottle, thermos, thermos flask, vacuum flask, thermosflasche, thermoskanne, bouteille isotherme
jar, einmachglas, vorratsglas, bocal
wine glass, weinglas, verre a vin
knife, messer, couteau
pocket knife, penknife, taschenmesser, couteau de poche, canif
chopping board, cutting board, schneidebrett, schneidbrett, planche a decouper
pan, pfanne, poele
pot, topf, blumentopf
casserole, casserole dish, dutch oven, brater, cocotte, schmortopf
apron, schurze, kochschurze, tablier
tea towel, dish towel, geschirrtuch, geschirrhandtuch, torchon
towel, handtuch, serviette
lamp, light, leuchte, lampe
table lamp, desk lamp, tischlampe, tischleuchte, lampe de table
floor lamp, standing lamp, stehlampe, stehleuchte, lampadaire
pendant lamp, hanging lamp, hangelampe, pendelleuchte, ceiling lamp
headlamp, head torch, headtorch, stirnlampe, lampe frontale, frontale
torch, flashlight, taschenlampe, lampe torche
lantern, laterne, lanterne
candle, kerze, bougie
diffuser, raumduft, duftspender, diffuseur, air freshener, room fragrance
scent, fragrance, duft, parfum
perfume, parfum, cologne
blanket, throw, decke, wolldecke, couverture
cushion, throw pillow, kissen, zierkissen, coussin
pillow, kopfkissen, oreiller
bedding, bed linen, bettwasche, bed set, linge de lit, parure de lit, duvet cover
rug, carpet, teppich, tapis
curtain, drape, vorhang, rideau
sofa, couch, settee, canape
chair, stuhl, chaise
armchair, lounge chair, sessel, fauteuil, easy chair
deck chair, liegestuhl, chaise longue, sunlounger, sun lounger
stool, hocker, tabouret
table, tisch
desk, schreibtisch
shelf, regal, etagere, bookcase, bookshelf
bed, bett, lit
mirror, spiegel, miroir
basket, korb, panier
vase
picture, poster, bild, affiche
notebook, notizbuch, carnet, cahier, jotter
planner, diary, kalender, agenda, calendar
pen, kugelschreiber, stift, stylo
pencil, bleistift, crayon
colour pencils, color pencils, coloured pencils, colored pencils, crayons, buntstift, buntstifte, crayons de couleur
book, buch, livre
watering can, gießkanne, giesskanne, arrosoir
trowel, hand trowel, kelle, pflanzkelle, handschaufel, transplantoir
shovel, spade, schaufel, spaten, pelle, beche
secateurs, pruning shears, pruners, pruner, gartenschere, secateur
planter, plant pot, flower pot, flowerpot, pflanzgefaß, ubertopf, blumentopf, pot de fleurs, cache pot
seed, saatgut, samen, graine
bird house, birdhouse, nesting box, vogelhaus, nistkasten, nichoir
fire bowl, fire pit, feuerschale, brasero
hammock, hangematte, hamac
tent, zelt, tente
sleeping bag, schlafsack, sac de couchage
camp stove, camping stove, kocher, campingkocher, rechaud
trekking pole, hiking pole, walking pole, wanderstock, wanderstocke, trekkingstock, baton de marche, walking stick
dry bag, packsack, waterproof bag, sac etanche
bicycle, bike, fahrrad, velo
garden, gardening, garten, jardin, jardinage
hiking, wandern, wanderung, randonnee
running, laufen, course, joggen, jogging
rain, rainy, regen, pluie
kitchen, kuche, cuisine
bathroom, badezimmer, salle de bain
gift, present, geschenk, cadeau
winter, hiver
summer, sommer, ete
headphones, headphone, kopfhorer, casque audio, ecouteurs, earphones, earbuds, headset
speaker, loudspeaker, lautsprecher, enceinte
phone, cell phone, mobile phone, smartphone, telephone
charger, ladegerat, chargeur
laptop, ordinateur portable
television, tv, fernseher, televiseur
camera, kamera, fotoapparat, appareil photo
drill, bohrmaschine, bohrer, perceuse
hammer, marteau
screwdriver, schraubenzieher, schraubendreher, tournevis
spanner, wrench, schraubenschlussel, cle
guitar, gitarre, guitare
violin, geige, violine, violon
piano, klavier
drum, trommel, tambour
dog, hund, chien, puppy
cat, katze, chat, kitten
toy, spielzeug, jouet
doll, puppe, poupee
puzzle, jigsaw
nappy, diaper, windel, couche
pram, stroller, pushchair, kinderwagen, poussette
makeup, make up, maquillage, schminke, cosmetics
lipstick, lippenstift, rouge a levres
shampoo, shampooing
soap, seife, savon
toothbrush, zahnburste, brosse a dents
razor, rasierer, rasoir, shaver
cake, kuchen, torte, gateau, pie
cookie, biscuit, keks
candy, sweets, sußigkeiten, bonbon
chocolate, schokolade, chocolat
wine, wein
beer, bier, biere
flower, blume, fleur, bouquet
christmas, weihnachten, noel, xmas
fishing rod, angelrute, canne a peche
vacuum, vacuum cleaner, hoover, staubsauger, aspirateur
robot vacuum, robot vacuum cleaner, saugroboter, staubsaugerroboter, aspirateur robot, robot aspirateur
cordless, cord free, kabellos, schnurlos, wireless, ohne kabel, ohne schnur, sans fil, drahtlos
iron, bugeleisen, fer a repasser
steamer, garment steamer, dampfglatter, defroisseur
fan, ventilator, ventilateur
heater, heizlufter, heizung, radiateur, chauffage
humidifier, luftbefeuchter, humidificateur
air purifier, luftreiniger, purificateur d air, purificateur air
hair dryer, hairdryer, blow dryer, fohn, haartrockner, seche cheveux
hair straightener, flat iron, glatteisen, lisseur, fer a lisser
trimmer, beard trimmer, bartschneider, barttrimmer, tondeuse, tondeuse a barbe
shaver, electric shaver, rasierapparat, elektrorasierer, rasoir electrique
toaster, grille pain
blender, mixer, standmixer, smoothie maker, mixeur
food processor, kuchenmaschine, robot de cuisine
coffee machine, coffee maker, kaffeemaschine, cafetiere, machine a cafe
espresso machine, espressomaschine, kaffeevollautomat, machine a espresso
air fryer, heißluftfritteuse, heissluftfritteuse, friteuse a air, friteuse sans huile
oven, backofen, ofen
microwave, mikrowelle, micro ondes
fridge, refrigerator, kuhlschrank, frigo, refrigerateur
washing machine, waschmaschine, lave linge, machine a laver
dishwasher, spulmaschine, geschirrspuler, lave vaisselle
scale, scales, waage
frying pan, skillet, bratpfanne, poele a frire
saucepan, kochtopf, casserole
wok
spoon, loffel, cuillere
fork, gabel, fourchette
cutlery, silverware, besteck, couverts
crockery, tableware, dinnerware, geschirr, vaisselle
carafe, jug, pitcher, karaffe, krug, carafe, pichet
tray, tablett, plateau
lunch box, brotdose, lunchbox, boite a lunch
corkscrew, korkenzieher, tire bouchon
bread, brot, pain
cheese, kase, fromage
butter, beurre
milk, milch, lait
egg, ei, eier, oeuf
meat, fleisch, viande
chicken, hahnchen, huhn, poulet
beef, rindfleisch, rind, boeuf
fish, fisch, poisson
salmon, lachs, saumon
shrimp, prawn, garnele, garnelen, crevette
fruit, obst, frucht
apple, apfel, pomme
banana, banane
strawberry, erdbeere, erdbeeren, fraise
lemon, zitrone, citron
vegetable, gemuse, legume
tomato, tomate
potato, kartoffel, pomme de terre
carrot, karotte, mohre, carotte
salad, salat, salade
soup, suppe, soupe
honey, honig, miel
tea, tee
juice, saft, jus
water, wasser, eau
saw, handsage, stichsage, kreissage, scie
axe, ax, hatchet, axt, beil, hache
plier, pliers, zange, pince
wrench, spanner, schraubenschlussel, schraubschlussel, cle
tool, werkzeug, outil
toolbox, tool box, werkzeugkasten, werkzeugkoffer, boite a outils
ladder, leiter, echelle
screw, schraube, vis
tape measure, maßband, massband, metre ruban
rope, seil, corde
rake, rechen, harke, rateau
hose, garden hose, gartenschlauch, schlauch, tuyau d arrosage
wheelbarrow, schubkarre, brouette
lawn mower, lawnmower, rasenmaher, tondeuse a gazon
grill, barbecue, bbq
bench, sitzbank, gartenbank, banc
parasol, sunshade, sonnenschirm
kayak, kajak
canoe, kanu
paddle, paddel, pagaie
fishing reel, angelrolle, moulinet
lure, fishing lure, koder, leurre
helmet, helm, casque
football, soccer ball, fußball, fussball, ballon de football
ball, balle, ballon
yoga mat, yogamatte, tapis de yoga
dumbbell, hantel, haltere
skipping rope, jump rope, springseil, corde a sauter
swimsuit, swimwear, badeanzug, maillot de bain
goggles, schwimmbrille, lunettes de natation
ski, skier
trumpet, trompete, trompette
flute, flote, querflote
saxophone, saxofon, saxophon
cello, violoncelle
drum kit, drum set, schlagzeug, batterie
keyboard, tastatur, clavier
microphone, mic, mikrofon, mikrophon, micro
harp, harfe, harpe
record player, turntable, plattenspieler, platine vinyle
mouse, computermaus, souris
cable, kabel
battery, batterie
monitor, bildschirm, ecran
printer, drucker, imprimante
tablet, tablette
power bank, powerbank, batterie externe
tripod, stativ, trepied
lens, objektiv, objectif
bouquet, blumenstrauß, blumenstrauss, strauß, strauss, bouquet de fleurs
rose, rosen
tulip, tulpe, tulipe
orchid, orchidee
sunflower, sonnenblume, tournesol
plant, houseplant, pflanze, zimmerpflanze, plante
cactus, kaktus
succulent, sukkulente, plante grasse
wreath, kranz, couronne
centerpiece, centrepiece, tischdeko, tischdekoration, centre de table
easter, ostern, paques
valentine, valentinstag, saint valentin
ornament, christmas ornament, christbaumkugel, weihnachtskugel, boule de noel
christmas tree, weihnachtsbaum, tannenbaum, christbaum, sapin de noel, sapin
pumpkin, kurbis, citrouille
costume, kostum, deguisement
mask, maske, masque
wall clock, wanduhr, horloge murale
alarm clock, wecker, reveil
coffee table, couchtisch, table basse
dining table, esstisch, table a manger
dining chair, esszimmerstuhl, chaise de salle a manger
office chair, burostuhl, schreibtischstuhl, chaise de bureau
rocking chair, schaukelstuhl, fauteuil a bascule
dresser, chest of drawers, kommode, commode
wardrobe, kleiderschrank, armoire
cabinet, cupboard, schrank
nightstand, bedside table, nachttisch, table de chevet
mattress, matratze, matelas
sheet, bed sheet, bettlaken, laken, drap
quilt, comforter, steppdecke, bettdecke, couette
chandelier, kronleuchter, lustre
light bulb, gluhbirne, ampoule
string lights, fairy lights, lichterkette, guirlande lumineuse
picture frame, photo frame, bilderrahmen, cadre photo, cadre
statue, sculpture, skulptur, figurine, figur
box, schachtel, kiste, boite
shower, dusche, douche
sponge, schwamm, eponge
razor blade, rasierklinge
beard, bart, barbe
moisturizer, moisturiser, lotion, feuchtigkeitscreme, creme hydratante
sunscreen, sun cream, sonnencreme, creme solaire
hairbrush, haarburste, brosse a cheveux
comb, kamm, peigne
nail polish, nagellack, vernis a ongles
bath bomb, badekugel, boule de bain
bath salt, badesalz, sel de bain
loafer, mocassin
high heel, heels, pumps, stockelschuh, escarpin, talon
flip flop, flip flops, zehentrenner
dog collar, hundehalsband, collier pour chien
leash, hundeleine, leine, laisse
pet, haustier, animal
cookbook, cook book, recipe book, kochbuch, livre de cuisine, livre de recettes
travel, reise, voyage
flame, flamme
lined, ruled, liniert
dotted, punktiert, gepunktet, dot grid, pointille
plain, blanko, blank
striped, gestreift, raye, rayures
round, rund, ronde, rond
handmade, hand made, handgemacht, handgefertigt, fait main
vegan, vegane, vegetalien
organic, bio, biologisch, biologique
dishwasher safe, spulmaschinenfest, passe au lave vaisselle
dimmable, dimmbar
rechargeable, aufladbar, wiederaufladbar
foldable, folding, faltbar, klappbar, pliable, pliant
`;

/** Words within an entry that a sentence has lost as fillers: the `à` of `sac à dos`. */
const LINKS = /(?<=\S )(?:de|d|du|des|a|en|la|le) /g;

const BY_WORD = new Map<string, string[]>();
for (const line of GOODS.trim().split('\n')) {
  const all = line.split(',').map((word) => word.trim());
  for (const word of all) {
    for (const key of new Set([word, word.replaceAll(LINKS, '')]))
      BY_WORD.set(key, [...(BY_WORD.get(key) ?? []), ...all.filter((other) => other !== word)]);
  }
}

/** The longest entry, in words. */
export const MAX_ENTRY_WORDS = 3;

/** Other words for it, in all languages; none for a word that is not listed. */
export function otherWordsFor(word: string): string[] {
  return BY_WORD.get(word) ?? [];
}

/** The entries of one word, by their first letter. */
const SINGLE_WORDS = Map.groupBy(
  [...BY_WORD.keys()].filter((word) => !word.includes(' ')),
  (word) => word.charAt(0),
);

/** The entries that somebody may have meant who misspelt one, each with its other words. */
export function misspeltEntries(word: string): string[] {
  const meant = (SINGLE_WORDS.get(word.charAt(0)) ?? []).filter((entry) => isSlipOf(word, entry));
  return meant.flatMap((entry) => [entry, ...otherWordsFor(entry)]);
}

const COLOUR_WORDS = new Set(COLOURS.split(/[,\n]/).map((word) => word.trim()));

export function isColour(word: string): boolean {
  return COLOUR_WORDS.has(word);
}
