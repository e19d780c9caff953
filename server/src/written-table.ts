/** Replaces the text between two lines of a page with a table. */
export function withTableBetween(page: string, begin: string, end: string, table: string): string {
  const [before, rest = ''] = page.split(begin);
  const after = rest.split(end)[1] ?? '';
  return [before, begin, '\n\n', table, '\n', end, after].join('');
}
