import { unwrap } from '@commerce-backend/sdk';
import { useMutation } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { api } from '../../api.ts';
import { useFormat } from '../../format.ts';
import { t } from '../../language/texts.ts';
import { useCan } from '../../session/use-me.ts';
import { Button } from '../../ui/button.tsx';
import { downloadBytes } from '../../ui/csv.ts';
import { startOfDay } from '../../ui/days.ts';
import { TextField } from '../../ui/field.tsx';
import { Form } from '../../ui/held.tsx';
import { Card } from '../../ui/page.tsx';
import { toastError } from '../../ui/toasts.tsx';

/** Downloads the files of all invoices and credit notes of a period, both days included. */
export function DocumentArchive() {
  const can = useCan();
  const { timeZone } = useFormat();
  const archive = useMutation({
    mutationFn: (query: { issued_from: string; issued_to: string }) =>
      unwrap(api.GET('/api/dashboard/documents/export', { params: { query } })),
    onSuccess: ({ filename, content, content_type }) => downloadBytes(filename, content, content_type),
    onError: toastError,
  });
  if (!can('orders:export')) return null;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const day = (name: string, later: number) => startOfDay(String(form.get(name)), timeZone, later);
    archive.mutate({ issued_from: day('first', 0), issued_to: day('last', 1) });
  };
  return (
    <Card title={t('Invoices of a period')}>
      <Form busy={archive.isPending} onSubmit={submit}>
        <div className="fields-2">
          <TextField label={t('First day')} name="first" type="date" required />
          <TextField
            label={t('Last day')}
            name="last"
            type="date"
            required
            hint={t('At most 100 documents in one ZIP.')}
          />
        </div>
        <Button type="submit" busy={archive.isPending}>
          {t('Download as ZIP')}
        </Button>
      </Form>
    </Card>
  );
}
