/** Clothes and what else is worn. Lines are like those of thesaurus.ts. */
export const WEARABLES = `
jumper, sweater, pullover, pulli, pull, strickpullover, chandail
cardigan, strickjacke, gilet
sweatshirt, sweat, sweater
hoodie, hooded sweatshirt, kapuzenpullover, kapuzenpulli, sweat a capuche, hoody
t shirt, tee, tshirt, tee shirt, t shirts
vest, waistcoat, weste, gilet
tank top, tank, singlet, sleeveless top, debardeur, tanktop, tragertop
trousers, pants, pant, slacks, hosen, pantalon
shorts, short, kurze hose
fleece, fleecejacke, polaire
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
scarf, muffler, shawl, neckerchief, stole, schal, halstuch, echarpe, foulard, chale
beanie, mutze, bonnet, woolly hat, wool hat, wollmutze, bobble hat
cap, kappe, casquette
hat, hut, chapeau
glove, handschuh, handschuhe, gant
gardening glove, gartenhandschuh, gartenhandschuhe, gant de jardinage
belt, gurtel, ceinture
tie, krawatte, cravate
shoe, schuh, chaussure
trainer, sneaker, turnschuh
running shoe, running shoes, gym shoe, gym shoes, tennis shoe, tennis shoes, sneaker, laufschuh, laufschuhe, sportschuh, sportschuhe, chaussures de course, chaussures de sport
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
clock, timepiece, uhr, wanduhr, horloge, pendule
jewellery, jewelry, schmuck, bijou
earring, ohrring, ohrringe, boucle d oreille
necklace, halskette, kette, collier
bracelet, armband
ring, bague
glasses, spectacles, brille, lunettes
sunglasses, sonnenbrille, lunettes de soleil
`;

/** Things for the home, the garden and outdoors. */
export const GOODS = `
mug, becher, tasse, kaffeebecher, henkelbecher
cup, tasse
plate, teller, assiette
bowl, schussel, schale, bol
teapot, teekanne, theiere
kettle, wasserkocher, wasserkessel, bouilloire
coffee, kaffee, cafe
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
lamp, light, leuchte, lampe, licht, lumiere
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
garden tools, garden tool, gardening tools, gartengerat, gartengerate, gartenwerkzeug, outils de jardin, outil de jardin, outils de jardinage
hiking, wandern, wanderung, randonnee
running, laufen, course, joggen, jogging
rain, rainy, regen, pluie
kitchen, kuche, cuisine
bathroom, badezimmer, salle de bain
gift, present, geschenk, verschenken, mitbringsel, cadeau, offrir
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
flower, blume, fleur, bouquet, floral
christmas, weihnachten, noel, xmas
fishing rod, angelrute, canne a peche
`;
