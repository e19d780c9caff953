import { unwrap } from '@commerce-backend/sdk';
import { useMutation } from '@tanstack/react-query';
import { type ChangeEvent, type FormEvent, useState } from 'react';
import { decodedText, UnknownEncoding } from '../../../../../cli/src/formats/encoding.ts';
import { api, inWords } from '../../../api.ts';
import { Button } from '../../../ui/button.tsx';
import { EncodingSelect, NOT_UTF8 } from '../../../ui/encoding-select.tsx';
import { TextArea } from '../../../ui/field.tsx';
import { FormError } from '../../../ui/form-error.tsx';
import { Form } from '../../../ui/held.tsx';
import { Card, Page } from '../../../ui/page.tsx';
import { Preview } from './preview.tsx';
import { StatementRuns } from './runs.tsx';
import '../orders.css';
import { t } from '../../../language/texts.ts';

/** Reads a bank statement, pasted or from a file, matches its transfers with orders, and lists earlier runs. */
export function Statement() {
  const [statement, setStatement] = useState('');
  const [file, setFile] = useState<File>();
  const [encoding, setEncoding] = useState('');
  const [fileError, setFileError] = useState<unknown>();
  const match = useMutation({
    mutationFn: (text: string) =>
      unwrap(api.POST('/api/dashboard/orders/match-transfers', { body: { statement: text } })),
  });
  const read = async (chosen: File, named: string) => {
    setFileError(undefined);
    try {
      const bytes = new Uint8Array(await chosen.arrayBuffer());
      const text = await decodedText(chosen.name, bytes, named || undefined);
      setStatement(text);
      match.mutate(text);
    } catch (error) {
      setFileError(error);
    }
  };
  const choose = (event: ChangeEvent<HTMLInputElement>) => {
    const [chosen] = event.target.files ?? [];
    if (!chosen) return;
    setFile(chosen);
    setEncoding('');
    void read(chosen, '');
  };
  const chooseEncoding = (next: string) => {
    setEncoding(next);
    if (file) void read(file, next);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    match.mutate(statement);
  };
  return (
    <Page title={t('Match a bank statement')} back={{ to: '/orders', label: t('Orders') }}>
      <Card>
        <Form busy={match.isPending} onSubmit={submit}>
          <p>
            {t(
              'Download the statement from your bank as CSV or CAMT.053 (XML). Transfers are matched with orders by the order number in their text and by the amount. You see everything before anything is marked.',
            )}
          </p>
          <div className="field">
            <label htmlFor="statement-file">{t('File')}</label>
            <input
              id="statement-file"
              type="file"
              accept=".csv,.xml,.txt"
              // Browsers send no event when the same file is chosen again, although its content may have changed.
              onClick={(event) => {
                event.currentTarget.value = '';
              }}
              onChange={choose}
            />
          </div>
          <FormError error={fileError instanceof UnknownEncoding ? NOT_UTF8 : fileError} />
          {(fileError instanceof UnknownEncoding || encoding !== '') && (
            <EncodingSelect value={encoding} onChange={chooseEncoding} />
          )}
          <TextArea
            label={t('Or paste it')}
            rows={5}
            value={statement}
            onChange={(event) => setStatement(event.target.value)}
            error={match.error ? inWords(match.error) : undefined}
          />
          <footer>
            <Button type="submit" kind="primary" busy={match.isPending} disabled={statement.trim() === ''}>
              {t('Show matches')}
            </Button>
          </footer>
        </Form>
      </Card>
      {match.data && <Preview key={match.submittedAt} matches={match.data} />}
      <StatementRuns />
    </Page>
  );
}
