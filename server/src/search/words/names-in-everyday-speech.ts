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
`;
