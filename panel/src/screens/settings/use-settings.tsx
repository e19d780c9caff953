import { unwrap } from '@commerce-backend/sdk';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import {
  api,
  type Inputs,
  ifMatch,
  queryClient,
  readAgain,
  type Schemas,
  untoldBeside,
  type Versioned,
  versioned,
} from '../../api.ts';
import { useCan, useMe } from '../../session/use-me.ts';
import { Button } from '../../ui/button.tsx';
import { ConflictDialog, conflictFields, conflictOf } from '../../ui/conflict-dialog.tsx';
import { type Change, differences, trimmed, useDraft } from '../../ui/draft.ts';
import { FormError } from '../../ui/form-error.tsx';
import { Form } from '../../ui/held.tsx';
import { Card, Loaded } from '../../ui/page.tsx';
import { toast } from '../../ui/toasts.tsx';
import { UnsavedGuard } from '../../ui/unsaved.tsx';
import { wordsOf } from '../../ui/words-of.ts';
import { cleaned } from './cleaned.ts';

type Settings = Schemas['Settings'];
type Field = Exclude<keyof Settings, 'site_id' | 'merchant_id' | 'updated_at'>;

/** The settings as they are stored, with their ETag. */
export function useSettings() {
  return useQuery({
    queryKey: useSettingsKey(),
    queryFn: ({ signal }) => versioned(api.GET('/api/dashboard/settings', { signal }), unwrap),
  });
}

function useSettingsKey() {
  return ['settings', useMe().merchant.id, 'versioned'];
}

export interface SettingsFormProps<Fields extends Field> {
  draft: Pick<Settings, Fields>;
  set: (change: Change<Pick<Settings, Fields>>) => void;
  error: unknown;
  settings: Settings;
  /** Hears how many pictures are on their way: what is saved meanwhile would lack them. */
  onUploading: (waiting: number) => void;
}

/**
 * A form over some fields of the settings. It sends only what was changed, and not over what somebody else has changed
 * meanwhile.
 */
export function SettingsForm<Fields extends Field>({
  title,
  fields,
  told = [],
  children,
}: {
  title: string;
  fields: readonly Fields[];
  /** The fields, and fields inside of them, that show beside them what is wrong. */
  told?: readonly string[];
  children: (form: SettingsFormProps<Fields>) => ReactNode;
}) {
  const query = useSettings();
  return (
    <Loaded query={query}>
      {(stored) => (
        <LoadedForm title={title} fields={fields} told={told} stored={stored}>
          {children}
        </LoadedForm>
      )}
    </Loaded>
  );
}

function LoadedForm<Fields extends Field>({
  title,
  fields,
  told,
  stored,
  children,
}: {
  title: string;
  fields: readonly Fields[];
  told: readonly string[];
  stored: Versioned<Settings>;
  children: (form: SettingsFormProps<Fields>) => ReactNode;
}) {
  const { base, draft, set, changes, dirty, settle, reset } = useDraft(pick(stored.data, fields));
  const writable = useCan()('settings:write');
  const key = useSettingsKey();
  const etag = useEtagOfBase(stored.etag, dirty);
  const save = useMutation({
    mutationFn: (over: string | undefined) =>
      versioned(
        // The form's values come from lists of known ones, or are judged by the server.
        api.PATCH('/api/dashboard/settings', {
          body: cleaned(changes) as Inputs['SettingsPatch'],
          headers: ifMatch(over),
        }),
        unwrap,
      ),
    onSuccess: async (saved) => {
      queryClient.setQueryData(key, saved);
      settle(pick(saved.data, fields));
      await readAgain('settings', 'setup');
      toast('Saved.');
    },
    // What somebody else has saved meanwhile is read before it is shown beside what is typed here.
    onError: (error) => conflictOf(error) && readAgain('settings'),
  });
  const theirs = pick(stored.data, fields);
  const [uploading, setUploading] = useState(0);
  // Another one after each time that everything was discarded: a picture that was on its way then is not wanted either.
  const [round, setRound] = useState(0);
  function discard() {
    reset();
    save.reset();
    setRound((now) => now + 1);
  }
  // A space at the end of a field is nothing to be asked about.
  const unsaved = uploading > 0 || Object.keys(differences(trimmed(base), trimmed(draft))).length > 0;
  function submit(event: FormEvent) {
    event.preventDefault();
    save.mutate(etag.current);
  }
  return (
    <Card title={title}>
      <UnsavedGuard dirty={unsaved} />
      <Form busy={save.isPending} onSubmit={submit}>
        <fieldset key={round} className="stack" disabled={!writable}>
          {children({ draft, set, error: save.error, settings: stored.data, onUploading: setUploading })}
        </fieldset>
        <FormError error={conflictOf(save.error) ? null : untoldBeside(save.error, told)} />
        {writable && (
          <footer>
            <Button disabled={!dirty && uploading === 0} onClick={discard}>
              Discard
            </Button>
            <Button type="submit" kind="primary" busy={save.isPending} disabled={!dirty || uploading > 0}>
              Save
            </Button>
          </footer>
        )}
      </Form>
      <ConflictDialog
        source={conflictOf(save.error)}
        fields={conflictFields(wordsOf(base), wordsOf(draft), wordsOf(theirs))}
        busy={save.isPending}
        onClose={save.reset}
        onKeepMine={() => save.mutate(stored.etag)}
        onTakeTheirs={() => {
          settle(theirs);
          save.reset();
        }}
      />
    </Card>
  );
}

/**
 * The ETag of the state that the form began with. The settings may be read anew while something is edited, and the newer ETag
 * would overwrite what nobody here has seen.
 */
function useEtagOfBase(stored: string | undefined, dirty: boolean) {
  const etag = useRef(stored);
  useEffect(() => {
    if (!dirty) etag.current = stored;
  }, [stored, dirty]);
  return etag;
}

function pick<Fields extends Field>(settings: Settings, fields: readonly Fields[]): Pick<Settings, Fields> {
  return Object.fromEntries(fields.map((field) => [field, settings[field]])) as Pick<Settings, Fields>;
}
