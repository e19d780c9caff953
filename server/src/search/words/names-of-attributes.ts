/** Colours. A colour is rarely what is looked for. Lines are like those of the goods (see thesaurus.ts). */
export const COLOURS = `
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
oat, hafer, haferfarben, avoine
clay, ton, lehm, argile
sand, sable, sandfarben
mint, minze, menthe
apricot, aprikose, abricot
peach, pfirsich, peche
cherry, kirsche, kirschrot, cerise
chestnut, kastanie, chataigne
honey, honig, miel
emerald, smaragd, smaragdgrun, emeraude
indigo, indigoblau
spruce, fichte, epicea
heather, heide, bruyere
night, nachtblau, nuit, bleu nuit
natural, natur, naturfarben, naturel, naturelle
copper, kupfer, kupferfarben, cuivre
multicoloured, multicolored, colourful, bunt, mehrfarbig, multicolore
transparent, clear, durchsichtig
`;

/** Sizes, materials and whom things are made for. */
export const ATTRIBUTES = `
small, klein, petit, petite
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
beeswax, bienenwachs, cire d abeille
soy, soya, soja
beech, buche, buchenholz, hetre
ash, esche, eschenholz, frene
pine, kiefer, kiefernholz
larch, larche, lerche, meleze
cedar, zeder, zedernholz, cedre
teak, teakholz, teck
rattan, korbgeflecht, rotin
jute, sisal
seagrass, seegras, jonc de mer
down, daunen
feather, feathers, federn, plume, plumes
fur, pelz, fourrure
suede, wildleder, daim
velvet, samt, velours
canvas, segeltuch, toile
denim, jeansstoff
cashmere, kaschmir, cachemire
merino, merinowolle, merinos
acrylic, acryl, acrylique
polyamide, polyamid, nylon
elastane, elastan, elasthanne
spandex, lycra, elasthan
iron, eisen, fer
cast iron, gusseisen, fonte
aluminium, aluminum, alu
zinc, zink
porcelain, porzellan, porcelaine
stone, stein, pierre
concrete, beton
wax, wachs, cire
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
acoustic, akustik, akustisch, acoustique
electric, elektro, elektrisch, electrique
waterproof, wasserdicht, impermeable, etanche
warm, chaud, chaude
women, woman, ladies, lady, female, damen, frauen, femme, dame
men, man, gentlemen, male, mens, herren, manner, homme
children, kids, child, kid, kinder, kind, enfant
`;
