import { expect, test } from 'vitest';
import { cosine, DIMENSIONS, learn, placeOf, type Weights } from './latent.ts';
import { affinities, NO_VECTOR, productBytes, vectorsIn, wordBytes, wordVector } from './latent-index.ts';
import { weightsOf } from './latent-text.ts';

/** Products that name things of one of two rooms, so that each word keeps the company of its room alone. */
function texts(): Weights[] {
  return Array.from({ length: 1_200 }, (_, i) => {
    const room = i % 2 === 0 ? 'kitchen' : 'garden';
    // 150 things in each room: more than there are dimensions, so that something has to be left out.
    const thing = (step: number) => `${room}${(i * step + Math.floor(i / 7)) % 150}`;
    return weightsOf({ name: `${thing(7)} ${thing(11)}`, vendor: null, product_type: null, description: thing(13) });
  });
}

function place(model: ReturnType<typeof learn>, name: string): Float32Array {
  const found = placeOf(model, weightsOf({ name, vendor: null, product_type: null, description: '' }));
  if (!found) throw new Error(`Nothing is known of "${name}".`);
  return found;
}

test('words that keep the same company mean alike, also where they never stand together', () => {
  const model = learn(texts());

  expect(cosine(place(model, 'kitchen1'), place(model, 'kitchen2'))).toBeGreaterThan(
    cosine(place(model, 'kitchen1'), place(model, 'garden2')) + 0.02,
  );
});

test('the same texts teach the same, and a text of unknown words has no place', () => {
  expect(learn(texts())).toEqual(learn(texts()));
  const unknown = weightsOf({ name: 'zeppelin', vendor: null, product_type: null, description: '' });
  expect(placeOf(learn(texts()), unknown)).toBeUndefined();
});

test('what is kept of a word is the same when it is read, and of a product its direction', () => {
  const model = learn(texts());
  const one = place(model, 'kitchen1');
  const groups = [{ text: 'kitchen1', alternatives: [{ term: 'kitchen1', weight: 1 }] }];
  const meanings = new Map([['kitchen1', wordBytes(model.get('kitchen1') ?? one).toString('base64')]]);
  const names = ['kitchen1 kitchen2', 'garden1 garden2', 'kitchen3 kitchen4'];
  const kept = names.map((name) => productBytes(place(model, name)));

  expect(wordVector(wordBytes(one))).toEqual(one);
  expect(kept[0]).toHaveLength(DIMENSIONS);
  const read = vectorsIn(Buffer.concat([...kept, NO_VECTOR]).toString('hex'));
  const found = affinities(groups, meanings, read);
  for (const [i, name] of names.entries()) expect(found[i]).toBeCloseTo(cosine(one, place(model, name)), 1);
  // What has no place yet stands in the middle of the others.
  expect(found[3]).toBeCloseTo(((found[0] ?? 0) + (found[1] ?? 0) + (found[2] ?? 0)) / 3);
});
