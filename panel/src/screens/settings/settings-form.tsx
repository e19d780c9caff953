import { unwrap } from '@commerce-backend/sdk';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useWatch } from 'react-hook-form';
import { api, type Inputs, ifMatch, readAgain, type Schemas, type Versioned, versioned } from '../../api.ts';
import { t } from '../../language/texts.ts';
import { useCan, useMe } from '../../session/use-me.ts';
import { changesOf, without } from '../../ui/form/changes.ts';
import { fieldsOf } from '../../ui/form/fields.tsx';
import { FormFrame } from '../../ui/form/frames.tsx';
import { useEditing } from '../../ui/form/use-editing.ts';
import { Card, Loaded } from '../../ui/page.tsx';
import { toast } from '../../ui/toasts.tsx';
import { cleaned } from './cleaned.ts';

export type Settings = Schemas['Settings'];

export const Field = fieldsOf<Settings>();

/** The current value of a field in the surrounding form. */
export function useSetting<Name extends keyof Settings>(name: Name): Settings[Name] {
  return useWatch<Settings>({ name }) as Settings[Name];
}

/** The stored settings and their ETag. */
export function useSettings() {
  return useQuery({
    queryKey: ['settings', useMe().merchant.id, 'versioned'],
    queryFn: ({ signal }) => versioned(api.GET('/api/dashboard/settings', { signal }), unwrap),
  });
}

interface SettingsFormProps {
  title: string;
  children: (form: { settings: Settings; onUploading: (waiting: number) => void }) => ReactNode;
}

/** A form for some of the settings. It sends only changed fields, and does not overwrite changes by others. */
export function SettingsForm({ title, children }: SettingsFormProps) {
  const query = useSettings();
  return (
    <Loaded query={query}>
      {(stored) => (
        <LoadedForm title={title} stored={stored}>
          {children}
        </LoadedForm>
      )}
    </Loaded>
  );
}

function LoadedForm({ title, stored, children }: SettingsFormProps & { stored: Versioned<Settings> }) {
  const editing = useEditing(formed(stored), {
    send: save,
    read: async () => formed(await versioned(api.GET('/api/dashboard/settings'), unwrap)),
    onSaved: async () => {
      await readAgain('settings', 'setup');
      toast(t('Saved.'));
    },
  });
  return (
    <Card title={title}>
      <FormFrame editing={editing} writable={useCan()('settings:write')}>
        {children({ settings: stored.data, onUploading: editing.setWaiting })}
      </FormFrame>
    </Card>
  );
}

async function save(values: Settings, over: Versioned<Settings>): Promise<Versioned<Settings>> {
  const changes = changesOf(cleaned(over.data), cleaned(values));
  if (Object.keys(changes).length === 0) return over;
  // The cast is safe: values come from fixed lists, or the server validates them.
  const body = changes as Inputs['SettingsPatch'];
  return formed(await versioned(api.PATCH('/api/dashboard/settings', { body, headers: ifMatch(over.etag) }), unwrap));
}

const NO_BANK = { account_holder: '', iban: '', bic: null, bank_name: null, instructions: null };

/**
 * Settings as form values: without computed fields, and with empty fields if there is no bank account. All fields of
 * each tax rate are set; for a missing one the form would show the value that was stored at this index.
 */
function formed({ data, etag }: Versioned<Settings>): Versioned<Settings> {
  const bank_details = { ...NO_BANK, ...data.bank_details };
  const tax_rates = data.tax_rates.map((rate) => ({ ...rate, state: rate.state ?? '', class: rate.class ?? '' }));
  return { data: { ...without(data, ['updated_at']), bank_details, tax_rates } as Settings, etag };
}
