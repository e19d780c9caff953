import type { Schemas } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { addCall, pageText } from '../call-command.ts';
import type { Column } from '../output.ts';
import type { Terminal } from '../terminal.ts';
import { addCollectionWrites } from './collection-writes.ts';

type CollectionSummary = Schemas['CollectionSummary'];

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

/** Adds `collections` with its subcommands. */
export function addCollections(program: Command, terminal: Terminal): void {
  const collections = program.command('collections').description('The collections of products.');
  addCall(collections, terminal, {
    name: 'list',
    operation: 'dashboard.listCollections',
    description: 'List collections, published or not, by title.',
    examples: '\nExamples:\n  $ commerce collections list\n  $ commerce collections list --type automatic',
    text: (page, view) => pageText('collections', COLUMNS, page.collections, page, view),
  });
  addCollectionWrites(collections, terminal);
}
