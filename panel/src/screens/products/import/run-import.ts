import { batchesOf, type Refused, type Row } from '../../../../../cli/src/import/batches.ts';
import { type Counts, sendAll } from '../../../../../cli/src/import/send.ts';
import { type SharedSkuRule, withoutSharedSkus } from '../../../../../cli/src/import/shared-skus.ts';
import { SkuPlaces } from '../../../../../cli/src/import/sku-places.ts';
import { api } from '../../../api.ts';
import { Findings } from './findings.ts';
import type { FileContent } from './read-file.ts';

export interface ImportState {
  dry_run: boolean;
  running: boolean;
  total: number;
  counts: Counts;
  mistakes: Findings;
  warnings: Findings;
  /** The error that stopped the import. */
  error?: unknown;
}

export interface ImportRules {
  dry_run: boolean;
  update_inventory: boolean;
  sharedSkus: SharedSkuRule;
}

/** Imports a file or does a dry run, and reports progress. The signal stops it between two calls. */
export async function runImport(
  content: FileContent,
  { sharedSkus, ...settings }: ImportRules,
  tell: (state: ImportState) => void,
  signal: AbortSignal,
): Promise<void> {
  const sent = new Map<number, Row>();
  const state: ImportState = {
    dry_run: settings.dry_run,
    running: true,
    total: content.reads.length,
    counts: { created: 0, updated: 0, unchanged: 0, refused: 0 },
    mistakes: new Findings(),
    warnings: new Findings(),
  };
  const warned = ({ line, message }: { line: number; message: string }) =>
    state.warnings.add({ line, column: '', sku: content.skus.get(line) ?? '', message });
  content.warnings.kept.forEach(warned);
  state.warnings.count = content.warnings.count;
  const show = () => tell({ ...state, counts: { ...state.counts } });
  const refused = ({ line, errors }: Refused) => {
    for (const error of errors) {
      const sku = content.skus.get(error.line) ?? skuOf(sent.get(line), error.field) ?? '';
      state.mistakes.add({ line: error.line, column: error.field, sku, message: error.message });
    }
  };
  const places = new SkuPlaces();
  const batches = batchesOf(withoutSharedSkus(iterate(content.reads, signal), sharedSkus, warned, places), (each) => {
    state.counts.refused += 1;
    refused(each);
  });
  show();
  try {
    await sendAll(noting(batches, sent), {
      client: api,
      settings,
      counts: state.counts,
      places,
      claims: sharedSkus === 'refuse',
      sent: show,
      warned,
      refused,
    });
  } catch (error) {
    state.error = error;
  }
  state.running = false;
  show();
}

async function* iterate<Each>(all: Each[], signal: AbortSignal): AsyncGenerator<Each> {
  for (const each of all) {
    if (signal.aborted) return;
    yield each;
  }
}

/** Keeps the sent rows by line number, because an error contains only line and field. */
async function* noting(
  batches: AsyncGenerator<Row[], void, undefined>,
  sent: Map<number, Row>,
): AsyncGenerator<Row[], void, undefined> {
  for await (const batch of batches) {
    for (const row of batch) sent.set(row.line, row);
    yield batch;
  }
}

function skuOf(row: Row | undefined, field: string): string | undefined {
  if (!row) return undefined;
  const { sku, variants } = row.product;
  const [, at] = /^variants\.(\d+)/.exec(field) ?? [];
  return (at === undefined ? (sku ?? variants?.[0]?.sku) : variants?.[Number(at)]?.sku) ?? undefined;
}
