import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Turns } from './turns.ts';

function openTurns() {
  const turns = new Turns({ atOnce: 2, maxWaiting: 1, refusal: 'Too many at once.' });
  const begun: string[] = [];
  const ends: Record<string, () => void> = {};
  const begin = (name: string) =>
    turns.take(() => {
      begun.push(name);
      return new Promise<void>((end) => {
        ends[name] = end;
      });
    });
  return { turns, begun, begin, end: (name: string) => ends[name]?.() };
}

test('runs a limited number of tasks concurrently, and starts the next one when one ends', async () => {
  const { begun, begin, end } = openTurns();
  const [first] = [begin('first'), begin('second'), begin('third')];
  expect(begun).toEqual(['first', 'second']);

  end('first');
  await first;
  await nextTurn();

  expect(begun).toEqual(['first', 'second', 'third']);
});

test('rejects a task with a retry time when the queue is full', async () => {
  const { turns, begun, begin } = openTurns();
  for (const name of ['first', 'second']) void begin(name);
  turns.refuseIfFull();
  void begin('third');

  const refusal = { code: 'unavailable', context: { retry_after_seconds: expect.any(Number) } };

  expect(() => turns.refuseIfFull()).toThrow(expect.objectContaining(refusal));
  await expect(begin('fourth')).rejects.toMatchObject(refusal);
  expect(begun).toEqual(['first', 'second']);
});

test('starts the next waiting task when a running one fails', async () => {
  const turns = new Turns({ atOnce: 1, maxWaiting: 1, refusal: 'Too many at once.' });
  const fail = () => Promise.reject(new Error('It failed.'));

  const results = await Promise.allSettled([turns.take(fail), turns.take(async () => 'done')]);

  expect(results).toMatchObject([{ status: 'rejected' }, { status: 'fulfilled', value: 'done' }]);
  expect(await turns.take(async () => 'again')).toBe('again');
});

test('an error that concerns all tasks fails every waiting task, and later tasks still run', async () => {
  const unreachable = new Error('unreachable');
  const turns = new Turns({
    atOnce: 1,
    maxWaiting: 2,
    refusal: 'Too many at once.',
    failsAll: (error) => error === unreachable,
  });
  let begun = 0;
  const fail = () => {
    begun += 1;
    return Promise.reject(unreachable);
  };

  const results = await Promise.allSettled([turns.take(fail), turns.take(fail), turns.take(fail)]);

  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(begun).toBe(1);
  expect(await turns.take(async () => 'again')).toBe('again');
});
