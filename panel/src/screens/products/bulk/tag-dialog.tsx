import { type FormEvent, useState } from 'react';
import { t } from '../../../language/texts.ts';
import { Chips } from '../../../ui/chips.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Select } from '../../../ui/field.tsx';
import { DialogFoot } from '../../../ui/form-error.tsx';
import { Form } from '../../../ui/held.tsx';
import type { BulkDialogProps } from './bulk-queries.ts';

/** Adds tags to products or removes them. */
export function TagDialog({ products, busy, onClose, onChange }: BulkDialogProps) {
  const [removes, setRemoves] = useState(false);
  const [tags, setTags] = useState<string[]>([]);
  const [missing, setMissing] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setMissing(tags.length === 0);
    if (tags.length > 0) onChange(removes ? { remove_tags: tags } : { add_tags: tags });
  };
  return (
    <Dialog open onClose={onClose} title={t('Tags of {count} products', { count: products.length })}>
      <Form busy={busy} onSubmit={submit}>
        <Select
          label={t('Change')}
          value={removes ? 'remove' : 'add'}
          onChange={(event) => setRemoves(event.target.value === 'remove')}
        >
          <option value="add">{t('Add tags')}</option>
          <option value="remove">{t('Remove tags')}</option>
        </Select>
        <Chips
          label={t('Tags')}
          hint={t('Enter or a comma adds one.')}
          error={missing && tags.length === 0 ? t('Enter a tag, then press Enter.') : undefined}
          values={tags}
          onChange={setTags}
        />
        <DialogFoot
          work={{ error: null, isPending: busy }}
          action={removes ? t('Remove tags') : t('Add tags')}
          onCancel={onClose}
        />
      </Form>
    </Dialog>
  );
}
