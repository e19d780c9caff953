import { expect, test } from 'vitest';
import { profileUrlIn } from './agent.ts';

test.each([
  ['alone', 'profile="https://a.example/p"'],
  ['between other members', 'version="1,2", profile="https://a.example/p", debug'],
  ['with parameters', 'profile="https://a.example/p";v=1'],
  ['last of two', 'profile="https://b.example/", profile="https://a.example/p"'],
  ['after a text with quotes', 'x="a\\", profile=\\"https://b.example/\\"", profile="https://a.example/p"'],
])('reads the profile URL from a UCP-Agent header: %s', (_, header) => {
  expect(profileUrlIn(header)).toBe('https://a.example/p');
});

test('accepts a comma in the profile URL of UCP-Agent', () => {
  expect(profileUrlIn('profile="https://a.example/p?ids=1,2"')).toBe('https://a.example/p?ids=1,2');
});

test.each([undefined, '', 'profile=https://a.example/', 'xprofile="https://a.example/"', '"'])(
  'rejects a UCP-Agent header without a profile: %s',
  (header) => {
    expect(() => profileUrlIn(header)).toThrow('Send UCP-Agent: profile=');
  },
);

test.each([[','], ['"",'], ['",'], ['"\\'], ['profile="']])(
  'parses a long UCP-Agent header of %s in linear time',
  (part) => {
    const start = performance.now();

    expect(() => profileUrlIn(part.repeat(160_000 / part.length))).toThrow('Send UCP-Agent: profile=');
    // A parser with quadratic time would take half a minute.
    expect(performance.now() - start).toBeLessThan(3_000);
  },
);
