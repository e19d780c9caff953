/** What goods are called in everyday speech, and where English differs from one country to another. Lines are like those of thesaurus.ts. */
export const EVERYDAY_NAMES = `
biro, ballpoint, ballpoint pen, pen, kuli, stylo bille
telly, tele, tv, television, tv set, flatscreen, fernseher, glotze, tele
specs, glasses, spectacles, eyeglasses, reading glasses, lesebrille, lunettes de lecture
windcheater, windbreaker, wind jacket, jacket, windjacke, coupe vent
trackies, joggers, sweatpants, tracksuit bottoms, jogging bottoms, track pants, pants, jogginghose, trainingshose, jogging, survetement
cardie, cardi, cardigan
woolly jumper, jumper, sweater
sports bra, bra, sport bh, brassiere, brassiere de sport, soutien gorge de sport
body warmer, bodywarmer, gilet, vest, waistcoat
turtleneck, polo neck, roll neck, rollkragenpullover, col roule
camisole, cami, vest top, tank top, tank
kicks, trainers, sneaker, plimsoll, baskets
sunnies, shades, sunglasses
swimming costume, cossie, bathing suit, swimsuit, bikini, swimming trunks, badehose
dressing gown, bathrobe, robe, bademantel, morgenmantel, peignoir, robe de chambre
pyjamas, pajamas, pjs, nightwear, schlafanzug, pyjama
undies, knickers, panties, underpants, underwear
bumbag, fanny pack, waist pack, belt bag, bauchtasche, gurteltasche, sac banane
holdall, duffel bag, duffle bag, duffel, duffle, gym bag, sports bag, sporttasche, reisetasche, sac de sport, sac de voyage
satchel, messenger bag, school bag, schoolbag, umhangetasche, sacoche
hanky, handkerchief, taschentuch, mouchoir
bangle, bracelet, armreif
choker, necklace
ear stud, stud, earring, ohrstecker
hoover, vacuum cleaner, vacuum, staubsauger, aspirateur
fridge, refrigerator, kuhlschrank, refrigerateur, frigo
cooker, stove, herd, cuisiniere
hairdryer, hair dryer, blow dryer, fohn, haartrockner, seche cheveux
frying pan, fry pan, skillet, pan, bratpfanne, poele
cooking pot, stock pot, stockpot, saucepan, casserole, cocotte, kochtopf, marmite, faitout, casserole dish
cafetiere, french press, coffee maker, coffee press, pressstempelkanne
coffee pot, kaffeekanne, cafetiere
jug, pitcher, carafe, krug, kanne, karaffe, pichet, cruche
water bottle, drinking bottle, bottle, flask, hip flask, trinkflasche, gourde
napkin, serviette, serviettes, stoffserviette
breakfast bowl, cereal bowl, muslischale, bol
bedside lamp, table lamp, reading lamp, bedside light, nachttischlampe, leselampe, lampe de chevet, lampe de lecture
ceiling light, ceiling lamp, pendant lamp, pendant light, pendant, deckenlampe, deckenleuchte, plafonnier, suspension
tea light, tealight, candle, teelicht, bougie chauffe plat
scented candle, candle, duftkerze, bougie parfumee
room spray, room scent, air freshener, diffuser, raumspray, parfum d ambiance
scatter cushion, throw cushion, sofa cushion, cushion, sofakissen, dekokissen
bedspread, coverlet, throw, blanket, tagesdecke, kuscheldecke, plaid, jete de lit
bed linen, bed sheets, duvet set, bedding, bed set, bettzeug, draps
doormat, door mat, fußmatte, fussmatte, paillasson
pouffe, ottoman, footstool, stool, hocker, pouf
bin, waste bin, trash can, rubbish bin, wastebasket, mulleimer, papierkorb, poubelle, corbeille
firewood, logs, log, feuerholz, brennholz, kaminholz, bois de chauffage
log basket, log holder, log store, firewood rack, kaminholzstander, porte buches
coat rack, coat stand, coat hook, garderobe, portemanteau, patere
aufbewahrungsbox, box, storage box, boite de rangement
desk tidy, desk organiser, desk organizer, pen holder, desk tray, stiftehalter, ablage, organiseur
writing paper, notepaper, letter paper, notepad, writing pad, paper, notebook, briefpapier, schreibblock, papier a lettres, bloc notes
felt tip, felt tips, marker, filzstift, feutre
crayon, wax crayon, colour pencils, wachsmalstift
teddy, teddy bear, soft toy, cuddly toy, stuffed animal, plush, plush toy, kuscheltier, stofftier, plusch, peluche, doudou
brick, building blocks, blocks, bauklotze
six string, guitar, acoustic guitar
fiddle, violin
mouth organ, harmonica, mundharmonika
cans, headphones, ohrhorer, casque
mobile, mobile phone, cell, cellphone, phone, handy, portable
lead, cable, cord, ladekabel
lippy, lipstick
aftershave, cologne, eau de toilette, parfum, rasierwasser
face wash, facial cleanser, cleanser
hand cream, handcream, handcreme
soda, soft drink, fizzy drink, pop, limonade
crisps, chips, potato chips
spud, potato
veg, veggies, vegetable
aubergine, eggplant
courgette, zucchini
bicycle, pushbike, push bike, bike, cycle, rad, velo
garden hose, hosepipe, hose
sun lounger, deckchair, deck chair, lounger, liege, transat
garden gloves, gardening gloves, work gloves, arbeitshandschuhe, gants de travail
garden shears, hedge clippers, pruner, secateurs, rosenschere, secateur
plant pot, pot, planter, pflanztopf, pot a plantes
wild flower seeds, flower seeds, seeds, blumensamen, graines de fleurs
bird feeder, vogelfutterhaus, mangeoire
rain boots, rainboots, gumboots, gummies, rubber boot, regenstiefel, bottes de pluie
rain mac, mac, raincoat, rain jacket, regenmantel, cire, kway
woolly socks, wool socks, wollsocken, sock, chaussettes en laine
headlight, headlamp, stirnleuchte
lighter, fire starter, feuerzeug, briquet
penknife, swiss army knife, pocket knife, klappmesser
chef's knife, chefs knife, kitchen knife, cook's knife, kochmesser, kuchenmesser, couteau de cuisine, couteau de chef
sleeping pad, sleeping mat, camping mat, isomatte, matelas de camping
ground sheet, groundsheet, tarp, plane, bache
rucksack, day pack, day sack, daypack, backpack, wanderrucksack, tagesrucksack
spectacle case, glasses case, brillenetui
tracksuit, track suit, trainingsanzug, survetement
tracksuit top, track jacket, track top, trainingsjacke, jacket, veste de survetement
softshell, soft shell, softshell jacket, jacket, softshelljacke
puffer, puffer jacket, down jacket, padded jacket, quilted jacket, jacket, daunenjacke, steppjacke, doudoune
trench, trench coat, coat, trenchcoat
dungarees, overalls, latzhose, salopette
cargo pants, cargos, cargo trousers, pants, cargohose
chinos, chino, pants
capris, capri, capri pants, cropped pants, three quarter trousers, caprihose, pantacourt
yoga pants, leggings, legging, yogahose, pantalon de yoga
bike shorts, cycling shorts, cycle shorts, radlerhose, cycliste, short
boxer shorts, boxers, briefs, unterhose, calecon
long johns, thermal underwear, base layer, baselayer
tunic, tunika, tunique
sundress, summer dress, dress, sommerkleid, robe d ete
evening dress, gown, evening gown, dress, abendkleid, robe de soiree
stilettos, stiletto, high heel, heel, pumps
ballet flats, flats, ballerinas, ballerina
brogues, oxford, oxfords, dress shoe, lederschuh
ankle boot, ankle boots, bootie, boot, stiefelette, bottine
snood, loop scarf, scarf, schlauchschal
woolen hat, beanie hat, knit cap, stocking cap, toque, bommelmutze, pudelmutze, strickmutze, bonnet en laine
baseball cap, peaked cap, flat cap, schirmmutze, basecap, casquette
mittens, mitts, faustlinge, moufle, mitten, glove
braces, suspenders, hosentrager, bretelle
neck tie, necktie, tie, schlips
clutch, clutch bag, evening bag, purse, handbag, pochette
weekender, weekend bag, overnight bag, travel bag, duffel
carry on, carryon, trolley, hand luggage, suitcase, handgepack, bagage a main
coin purse, change purse, wallet, geldbeutel, porte monnaie
signet ring, siegelring, chevaliere
locket, pendant, necklace, anhanger, medaillon, pendentif
charm, anklet, bracelet
timepiece, wrist watch, watch, chronograph
dinner plate, plate, essteller, speiseteller, grande assiette
soup bowl, bowl, suppenschussel, suppenteller
coffee cup, coffee mug, tea mug, tea cup, teacup, mug, cup, kaffeetasse, teetasse, teebecher, tasse a cafe, tasse a the, pott, kaffeepott
beaker, mug, cup
wineglass, wine goblet, goblet, weinkelch
carving knife, bread knife, knife, brotmesser, couteau a pain
cleaver, kitchen cleaver, hackmesser
bread board, breadboard, chopping board, cutting board, brotbrett
oven glove, oven mitt, pot holder, topflappen, ofenhandschuh, manique
tea pot, teapot
tea kettle, teakettle, water kettle, kettle
pour over, coffee dripper, kaffeefilter
casserole pot, cast iron pot, iron pot, casserole, gusseisentopf
biscuit tin, cookie jar, jar, keksdose
mason jar, preserving jar, storage jar, canister, jar, vorratsdose, conserve
dish cloth, dishcloth, kitchen towel, kuchentuch, tea towel, linge de cuisine
place mat, placemat, tischset, set de table
trivet, coaster, untersetzer, dessous de plat
tablecloth, table cloth, tischdecke, tischtuch, nappe
standard lamp, lamp, floor lamp, bodenlampe, lampe sur pied
desk light, desk lamp, schreibtischlampe, lampe de bureau, table lamp
lampion, paper lantern, lantern
lounger, lounge chair, chair, relaxsessel, fauteuil lounge
bar stool, barstool, barhocker, tabouret de bar, stool
love seat, loveseat, sofa, zweisitzer
bookcase, bookshelf, bookshelves, shelf, bucherregal, etagere, bibliotheque
wall shelf, ladder shelf, shelving, regal, wandregal, shelf
sideboard, buffet, anrichte
plant stand, blumenstander, porte plante
hearth rug, area rug, runner, doormat, rug, laufer, bettvorleger, descente de lit
duvet, quilt, comforter, eiderdown, bettdecke, couette
pillow case, pillowcase, kissenbezug, taie
candlestick, candle holder, candleholder, kerzenstander, kerzenhalter, bougeoir
pillar candle, dinner candle, taper, taper candle, candle, stabkerze, stumpenkerze, chandelle
wax melt, oil burner, scent, duftlampe
reed diffuser, fragrance sticks, duftstabchen, batonnets parfumes, diffuser
hand soap, bar of soap, soap, handseife, savonnette
bath robe, robe, saunamantel
note book, note pad, exercise book, notebook, notizblock, heft, schreibheft
ring binder, folder, binder, ordner, classeur
rollerball, ballpen, roller, tintenroller, fuller, fullfederhalter, stylo plume, fountain pen, pen
pencil case, pen case, pen roll, federmappe, etui, trousse, stiftetui
colouring pencils, colour pencil, coloring pencils, farbstift, farbstifte, colour pencils, crayons de couleurs
desk mat, desk pad, schreibtischunterlage, sous main
in tray, letter tray, paper tray, desk tray, briefablage, corbeille a courrier
hand spade, garden trowel, hand shovel, trowel, blumenkelle, pelle de jardin, truelle
pruning scissors, garden scissors, loppers, secateurs, astschere, ciseaux de jardin
watering pot, sprinkling can, watering can, blumengiesser
seedling, bulb, seed, blumenzwiebel, bulbe
flower box, window box, planter, blumenkasten, jardiniere
bird box, nest box, nestbox, birdhouse, bird house, meisenkasten, cabane a oiseaux
brazier, fire basket, firepit, fire bowl, feuerkorb, feuertonne
two person tent, dome tent, camping tent, tent, kuppelzelt
gas stove, gas cooker, camping cooker, camp stove, gaskocher, rechaud a gaz
storm lantern, camping lantern, camp light, lantern, campinglampe, lanterne de camping
sleepingbag, bivvy bag, sleeping bag, duvet de camping
hiking stick, walking sticks, nordic walking pole, trekking pole, batons de randonnee
drybag, dry sack, waterproof sack, dry bag, trockensack, seesack
oilskin, slicker, rain coat, rain jacket, olzeug, friesennerz
golf umbrella, folding umbrella, umbrella, knirps, taschenschirm
thermos bottle, vacuum bottle, isolierflasche, isolierkanne, insulated bottle, bouteille thermos
electric guitar, e gitarre, elektrogitarre, guitare electrique
acoustic guitar, folk guitar, western guitar, akustikgitarre, westerngitarre, guitare acoustique, guitare folk
bass, bass guitar, bassgitarre, guitare basse
drumset, drums, drum kit, schlagzeug
blockflote, flute, flute a bec
ukulele, uke
headset, over ear headphones, earpods, kopfhorer, headphones
boombox, bluetooth speaker, portable speaker, speaker, musikbox, enceinte bluetooth
notebook computer, laptop, macbook, computer, ordinateur
smart watch, smartwatch, fitness tracker, montre connectee
dslr, digital camera, camera, digitalkamera, spiegelreflex, appareil photo numerique
hi fi, stereo, record player
chainsaw, chain saw, kettensage, motorsage, tronconneuse
cordless drill, power drill, drill, akkuschrauber, akkubohrer, visseuse
allen key, hex key, wrench, inbusschlussel
toolkit, tool kit, tool set, tool, werkzeugset, caisse a outils
sandpaper, sander, schleifmaschine, ponceuse
fishing pole, fishing rod, rod, angel
fishing bait, bait, lure, angelkoder, appat
dog lead, dog leash, leash, leine
dog bed, hundebett, panier pour chien
dog bowl, food bowl, napf, futternapf, gamelle
cat tree, scratching post, kratzbaum, arbre a chat
moisturiser, face cream, day cream, moisturizer, gesichtscreme, creme visage, creme de jour
eye shadow, eyeshadow, lidschatten, makeup
mascara, wimperntusche, makeup
hair brush, hairbrush, burste
shaver, electric razor, rasierapparat, razor
bunch of flowers, flower arrangement, bouquet, blumen, blumenstraus, composition florale
advent wreath, door wreath, wreath, adventskranz, turkranz
christmas decoration, christmas ornament, tree decoration, bauble, ornament, weihnachtsschmuck, decoration de noel
costume, fancy dress, kostum, verkleidung, deguisement
loaf, bread, brot, pain
sweet, sweets, candy, lollies, lolly, sucrerie
steak, beef, rindersteak
sparkling wine, champagne, prosecco, sekt, wine
espresso maker, coffee machine, coffee maker, espressokocher, kaffeemaschine, machine a cafe, cafetiere italienne
`;
