import { type DragEvent, useEffect, useRef, useState } from 'react';
import { decimalsOf } from '../../../../../cli/src/formats/amounts.ts';
import { UnknownEncoding } from '../../../../../cli/src/formats/encoding.ts';
import type { SharedSkuRule } from '../../../../../cli/src/import/shared-skus.ts';
import { useFormat } from '../../../format.ts';
import { Button, LinkButton } from '../../../ui/button.tsx';
import { EncodingSelect, NOT_UTF8 } from '../../../ui/encoding-select.tsx';
import { Checkbox, Select, TextField } from '../../../ui/field.tsx';
import { FormError } from '../../../ui/form-error.tsx';
import { Held } from '../../../ui/held.tsx';
import { Card, Page } from '../../../ui/page.tsx';
import { UnsavedGuard } from '../../../ui/unsaved.tsx';
import { forgetProducts } from '../editor/save.ts';
import { Outcome } from './outcome.tsx';
import { MOST_BYTES, readProductFile } from './read-file.ts';
import { type ImportState, runImport } from './run-import.ts';
import './import.css';
import { rich } from '../../../language/rich.tsx';
import { t, tn } from '../../../language/texts.ts';

interface Settings {
  update_inventory: boolean;
  baseImageUrl: string;
  weightUnit: 'kg' | 'lb';
  sharedSkus: SharedSkuRule;
  /** Empty means that the encoding is detected. */
  encoding: string;
}

const BEGINNING: Settings = {
  update_inventory: false,
  baseImageUrl: '',
  weightUnit: 'kg',
  sharedSkus: 'keep-first',
  encoding: '',
};

/** Imports a product file: first as a dry run whose result is shown, then for real. */
export function ImportProducts() {
  const [file, setFile] = useState<File>();
  const [settings, setSettings] = useState(BEGINNING);
  const [state, setState] = useState<ImportState>();
  const [error, setError] = useState<unknown>();
  // Set when the button is pressed, because reading a large file takes a while before the first call.
  const [work, setWork] = useState<'try' | 'import'>();
  const { currency } = useFormat();
  const working = work !== undefined;
  const stop = useRef<AbortController>(undefined);
  // If the user leaves the screen, which a dialog has confirmed, the import stops.
  useEffect(() => () => stop.current?.abort(), []);
  const change = (changes: Partial<Settings>) => {
    setSettings((now) => ({ ...now, ...changes }));
    setState(undefined);
  };

  async function run(dry_run: boolean) {
    if (!file || working) return;
    setWork(dry_run ? 'try' : 'import');
    setError(undefined);
    stop.current = new AbortController();
    try {
      const { update_inventory, baseImageUrl, weightUnit, sharedSkus, encoding } = settings;
      const content = await readProductFile(file, {
        weightUnit,
        ...(encoding && { encoding }),
        decimals: decimalsOf(currency),
        ...(baseImageUrl.trim() && { baseImageUrl: baseImageUrl.trim() }),
      });
      await runImport(content, { dry_run, update_inventory, sharedSkus }, setState, stop.current.signal);
      if (!dry_run) await forgetProducts();
    } catch (failure) {
      setError(failure);
    } finally {
      setWork(undefined);
    }
  }

  const tried = state !== undefined && !state.running && state.dry_run && state.error === undefined;
  const importable = tried ? state.counts.created + state.counts.updated : 0;
  return (
    <Page title={t('Import products')} back={{ to: '/products', label: t('Products') }}>
      <LeaveGuard importing={work === 'import'} waiting={file !== undefined && state?.dry_run !== false} />
      {/* The key resets the result when another file is chosen. */}
      <Held busy={working}>
        <ChooseFile
          file={file}
          onFile={(next) => {
            setState(undefined);
            setError(
              next.size > MOST_BYTES
                ? t('The file is larger than 200 MB. Split it, or use the command line.')
                : undefined,
            );
            setFile(next.size > MOST_BYTES ? undefined : next);
            setSettings((now) => ({ ...now, encoding: '' }));
          }}
        />
      </Held>
      <FormError error={error instanceof UnknownEncoding ? NOT_UTF8 : error} />
      {(error instanceof UnknownEncoding || settings.encoding !== '') && (
        <EncodingSelect
          value={settings.encoding}
          onChange={(encoding) => {
            setError(undefined);
            change({ encoding });
          }}
        />
      )}
      {file && <ImportSettings settings={settings} onChange={change} disabled={working} />}
      {file && (
        <div className="actions">
          <Button kind={tried ? 'plain' : 'primary'} busy={working} onClick={() => void run(true)}>
            {tried ? t('Try again') : t('Try it first (dry run)')}
          </Button>
          {tried && importable > 0 && !working && <ImportNow count={importable} onImport={() => void run(false)} />}
          {state && !state.dry_run && !working && <LinkButton to="/products">{t('See the products')}</LinkButton>}
        </div>
      )}
      {state && <Outcome state={state} onStop={() => stop.current?.abort()} />}
    </Page>
  );
}

/** Asks before the user leaves the screen while an import is running or a file is selected. */
function LeaveGuard({ importing, waiting }: { importing: boolean; waiting: boolean }) {
  if (importing) {
    return (
      <UnsavedGuard dirty title={t('Stop the import and leave?')} action={t('Stop and leave')}>
        {t('The import is still running. What came in so far stays; import the file again to go on.')}
      </UnsavedGuard>
    );
  }
  return (
    <UnsavedGuard dirty={waiting} title={t('Leave without importing?')} action={t('Leave without importing')}>
      {t('The file is not imported yet. Your choices here will be lost.')}
    </UnsavedGuard>
  );
}

function ImportNow({ count, onImport }: { count: number; onImport: () => void }) {
  const { number } = useFormat();
  return (
    <Button kind="primary" onClick={onImport}>
      {t('Import {count} {which}', { count: number(count), which: tn(count, 'product', 'products') })}
    </Button>
  );
}

function ChooseFile({ file, onFile }: { file: File | undefined; onFile: (file: File) => void }) {
  const { number } = useFormat();
  const [over, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);

  function onDrop(event: DragEvent) {
    event.preventDefault();
    setOver(false);
    const [dropped] = event.dataTransfer.files;
    if (dropped) onFile(dropped);
  }

  return (
    <Card title={t('File')}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: only a mouse can drop; the button has the same effect */}
      <div
        className={over ? 'drop-file over' : 'drop-file'}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={onDrop}
      >
        {file ? (
          <p>
            {rich('{strong}, {max} KB', {
              strong: <strong>{file.name}</strong>,
              max: number(Math.max(1, Math.round(file.size / 1024))),
            })}
          </p>
        ) : (
          <p>
            {t(
              'The product CSV of Shopify, WooCommerce or Magento, a Google Merchant feed, or JSON Lines as the API writes them. An existing product is recognized by its address (handle) and updated; importing a file twice changes nothing.',
            )}
          </p>
        )}
        <Button onClick={() => input.current?.click()}>{file ? t('Choose another file') : t('Choose a file')}</Button>
        <input
          ref={input}
          type="file"
          className="unseen"
          tabIndex={-1}
          aria-label={t('File of products')}
          accept=".csv,.tsv,.txt,.xml,.jsonl,.ndjson,text/csv"
          onChange={(event) => {
            const [chosen] = event.target.files ?? [];
            if (chosen) onFile(chosen);
            event.target.value = '';
          }}
        />
      </div>
    </Card>
  );
}

const SHARED_SKUS: Record<SharedSkuRule, string> = {
  'keep-first': t('The later variant is imported without a SKU.'),
  suffix: t('The later variant gets -2, -3 and so on after it.'),
  refuse: t('The product of the later variant is not imported.'),
};

function ImportSettings({
  settings,
  onChange,
  disabled,
}: {
  settings: Settings;
  onChange: (changes: Partial<Settings>) => void;
  disabled: boolean;
}) {
  return (
    <fieldset disabled={disabled}>
      <legend className="unseen">{t('How to import')}</legend>
      <Card title={t('How to import')}>
        <Checkbox
          label={t('Set the stock of existing products')}
          hint={t(
            'Otherwise only new variants get their stock from the file. It overwrites sales since the file was created.',
          )}
          checked={settings.update_inventory}
          onChange={(event) => onChange({ update_inventory: event.target.checked })}
        />
        <Select
          label={t('A SKU that an earlier variant of the file has')}
          hint={SHARED_SKUS[settings.sharedSkus]}
          value={settings.sharedSkus}
          onChange={(event) => onChange({ sharedSkus: event.target.value as SharedSkuRule })}
        >
          <option value="keep-first">{t('Keep it with the first only')}</option>
          <option value="suffix">{t('Append a number')}</option>
          <option value="refuse">{t('Reject the product')}</option>
        </Select>
        <details>
          <summary>{t('For files of Magento')}</summary>
          <div className="fields-2">
            <TextField
              label={t('Base address of its pictures')}
              placeholder="https://old.example/media/catalog/product"
              value={settings.baseImageUrl}
              onChange={(event) => onChange({ baseImageUrl: event.target.value })}
            />
            <Select
              label={t('Weight unit')}
              value={settings.weightUnit}
              onChange={(event) => onChange({ weightUnit: event.target.value === 'lb' ? 'lb' : 'kg' })}
            >
              <option>kg</option>
              <option>lb</option>
            </Select>
          </div>
        </details>
      </Card>
    </fieldset>
  );
}
