/** Appliances, kitchen, food, tools, sports, music, electronics, flowers, seasons, furniture and care. Lines are like those of thesaurus.ts. */
export const HOUSEHOLD_GOODS = `
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
breakfast, fruhstuck, petit dejeuner
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
