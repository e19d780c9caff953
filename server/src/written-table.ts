/** A page of the docs with what stands between two of its lines replaced by a table; the text around it stays as it is. */
export function withTableBetween(page: string, begin: string, end: string, table: string): string {
  const [before, rest = ''] = page.split(begin);
  const after = rest.split(end)[1] ?? '';
  return [before, begin, '\n\n', table, '\n', end, after].join('');
}
