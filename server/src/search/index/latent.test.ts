import { expect, test } from 'vitest';
import { cosine, DIMENSIONS, embed, type TermWeights, trainModel } from './latent.ts';
import {
  decodeProductVectors,
  NO_VECTOR,
  productVectorBytes,
  querySimilarities,
  termVector,
  termVectorBytes,
} from './latent-index.ts';
import { weightsOf } from './latent-text.ts';

/** Texts of two rooms. Each word belongs to one room only. */
function texts(): TermWeights[] {
  return Array.from({ length: 1_200 }, (_, i) => {
    const room = i % 2 === 0 ? 'kitchen' : 'garden';
    // Each room has 150 words, more than there are dimensions, so that the model must generalize.
    const thing = (step: number) => `${room}${(i * step + Math.floor(i / 7)) % 150}`;
    return weightsOf({ name: `${thing(7)} ${thing(11)}`, vendor: null, product_type: null, description: thing(13) });
  });
}

function embedName(model: ReturnType<typeof trainModel>, name: string): Float32Array {
  const found = embed(model, weightsOf({ name, vendor: null, product_type: null, description: '' }));
  if (!found) throw new Error(`The model has no term of "${name}".`);
  return found;
}

test('words that occur in the same contexts are similar, even if they never occur together', () => {
  const model = trainModel(texts());

  expect(cosine(embedName(model, 'kitchen1'), embedName(model, 'kitchen2'))).toBeGreaterThan(
    cosine(embedName(model, 'kitchen1'), embedName(model, 'garden2')) + 0.02,
  );
});

test('training is deterministic, and a text of unknown words has no vector', () => {
  expect(trainModel(texts())).toEqual(trainModel(texts()));
  const unknown = weightsOf({ name: 'zeppelin', vendor: null, product_type: null, description: '' });
  expect(embed(trainModel(texts()), unknown)).toBeUndefined();
});

test('encoding and decoding keep a term vector unchanged, and keep the direction of a product vector', () => {
  const model = trainModel(texts());
  const one = embedName(model, 'kitchen1');
  const groups = [{ text: 'kitchen1', alternatives: [{ term: 'kitchen1', weight: 1 }] }];
  const vectorsByTerm = new Map([['kitchen1', termVectorBytes(model.get('kitchen1') ?? one).toString('base64')]]);
  const names = ['kitchen1 kitchen2', 'garden1 garden2', 'kitchen3 kitchen4'];
  const stored = names.map((name) => productVectorBytes(embedName(model, name)));

  expect(termVector(termVectorBytes(one))).toEqual(one);
  expect(stored[0]).toHaveLength(DIMENSIONS);
  const read = decodeProductVectors(Buffer.concat([...stored, NO_VECTOR]).toString('hex'));
  const found = querySimilarities(groups, vectorsByTerm, read);
  for (const [i, name] of names.entries()) expect(found[i]).toBeCloseTo(cosine(one, embedName(model, name)), 1);
  // The product without a vector gets the average of the others.
  expect(found[3]).toBeCloseTo(((found[0] ?? 0) + (found[1] ?? 0) + (found[2] ?? 0)) / 3);
});
