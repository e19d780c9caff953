import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CsvRow } from './csv-records.ts';
import { readCsv } from './csv-rows.ts';
import { readCsvText } from './csv-text.ts';
import { allOf } from './testing.ts';

/** Parses a text in chunks. Checks that the parsers for Node and browsers return the same rows. */
async function rowsOf(text: string, pieceSize = 7): Promise<CsvRow[]> {
  async function* pieces() {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += pieceSize) yield bytes.subarray(at, at + pieceSize);
  }
  const rows = await allOf(readCsv(pieces(), ','));
  expect(await allOf(readCsvText(pieces(), ','))).toEqual(rows);
  return rows;
}

const newline = fc.constantFrom('\n', '\r\n');

test('counts lines like an editor, with any line endings and line breaks in cells', async () => {
  const cell = fc.record({ before: fc.stringMatching(/^[a-z]{0,3}$/), breaks: fc.array(newline, { maxLength: 3 }) });
  const row = fc.record({ cells: fc.array(cell, { minLength: 2, maxLength: 2 }), blanks: fc.nat(2) });
  await fc.assert(
    fc.asyncProperty(newline, fc.array(row, { minLength: 1, maxLength: 8 }), async (end, rows) => {
      let text = `a,b${end}`;
      const expected = [1];
      for (const { cells, blanks } of rows) {
        expected.push(text.split('\n').length);
        const quoted = cells.map(({ before, breaks }) => `"x${before}${breaks.join('')}"`).join(',');
        text += quoted + end + end.repeat(blanks);
      }
      expect((await rowsOf(text)).map(({ line }) => line)).toEqual(expected);
    }),
    { numRuns: 100 },
  );
});

test('reports a malformed row by its line, and reads the following rows', async () => {
  const rows = await rowsOf('a,b\n1,2\n5" pipe,3\n4,5\n"foo "bar" baz",3\n7,8\n1,2,3\n\n"a, ""b""",9\n"M" x,1\n9,9\n');
  expect(rows.map(({ line, cells, problem }) => [line, cells.join('|'), problem !== undefined])).toEqual([
    [1, 'a|b', false],
    [2, '1|2', false],
    [3, '5" pipe|3', false],
    [4, '4|5', false],
    [5, '', true],
    [6, '7|8', false],
    [7, '1|2|3', true],
    [9, 'a, "b"|9', false],
    [10, '', true],
    [11, '9|9', false],
  ]);
});

test('after an unclosed quote, skips only the rows up to the next quote', async () => {
  const rows = await rowsOf('a,b\n"b,c\nd,"e"\nf,g\n');
  expect(rows.map(({ line, problem }) => [line, problem !== undefined])).toEqual([
    [1, false],
    [2, true],
    [4, false],
  ]);
});

test('reports an unclosed quote with the number of the line after the last valid row', async () => {
  const rows = await rowsOf('a,b\n1,2\n"open,3\n4,5\n6,7\n');
  expect(rows.at(-1)).toMatchObject({ line: 3, problem: expect.stringContaining('never closed') });
  const endless = await rowsOf(`a,b\n1,2\n"${'x\n'.repeat(2_200_000)}","y"\n5,6\n7,8\n`, 65_536);
  expect(endless.filter(({ problem }) => problem)).toMatchObject([{ line: 3 }]);
});

test('accepts short rows and trailing empty cells', async () => {
  const rows = await rowsOf('a,b\n1\n1,2,,\n , \n');
  expect(rows.map(({ cells, problem }) => [cells.length, problem])).toEqual([
    [2, undefined],
    [1, undefined],
    [4, undefined],
  ]);
});
