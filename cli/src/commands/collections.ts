import { type Schemas, unwrap } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { calls } from '../operations.ts';
import { type Column, pageLine, show, styleOf, table } from '../output.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { addCollectionWrites } from './collection-writes.ts';
import { addPageOptions, choice, isJson, type PageOptions } from './options.ts';

type CollectionSummary = Schemas['CollectionSummary'];

interface ListOptions extends PageOptions {
  q?: string;
  type?: 'manual' | 'automatic';
}

const COLUMNS: Column<CollectionSummary>[] = [
  { title: 'TITLE', value: ({ title }) => title, shrinks: true },
  { title: 'HANDLE', value: ({ handle }) => handle, shrinks: true },
  { title: 'TYPE', value: ({ type }) => type },
  { title: 'PRODUCTS', value: ({ products_count }) => products_count, right: true },
  {
    title: 'STATE',
    value: ({ published }) => (published ? 'published' : 'hidden'),
    colour: ({ published }) => (published ? 'green' : 'dim'),
  },
  { title: 'ID', value: ({ id }) => id, below: true },
];

/** `collections list|get|create|update|delete|add|remove|reorder`. */
export function addCollections(program: Command, terminal: Terminal): void {
  const collections = program.command('collections').description('The collections of products.');
  const list = calls(collections.command('list'), 'dashboard.listCollections')
    .description('List collections, published or not, by title.')
    .option('--q <text>', 'only those with this text in the title or handle')
    .addOption(choice('--type <type>', 'only those of this type', ['manual', 'automatic']))
    .addHelpText('after', '\nExamples:\n  $ commerce collections list\n  $ commerce collections list --type automatic');
  addPageOptions(list).action((options: ListOptions, command: Command) => listCollections(options, command, terminal));
  addCollectionWrites(collections, terminal);
}

async function listCollections(query: ListOptions, command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  const page = await unwrap(client.GET('/api/dashboard/collections', { params: { query } }));
  show(terminal, isJson(command), page, (paint) => {
    const summary = pageLine('collections', page);
    if (page.collections.length === 0) return summary;
    return `${table(COLUMNS, page.collections, styleOf(terminal, paint))}\n\n${summary}`;
  });
}
