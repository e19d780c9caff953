import type { FormEvent, ReactNode } from 'react';
import { type FieldValues, FormProvider } from 'react-hook-form';
import { t } from '../../language/texts.ts';
import { Button } from '../button.tsx';
import { ConflictDialog, conflictFields } from '../conflict-dialog.tsx';
import { FormError } from '../form-error.tsx';
import { Form, Held } from '../held.tsx';
import { SaveBar } from '../save-bar.tsx';
import { UnsavedGuard } from '../unsaved.tsx';
import type { Editing } from './use-editing.ts';

interface FrameProps<Values extends FieldValues> {
  editing: Editing<Values>;
  onSave?: () => void;
  children: ReactNode;
}

/** A screen whose content can be edited, with the bar that saves it. */
export function EditorFrame<Values extends FieldValues>({
  editing,
  onSave = () => void editing.save(),
  isGone = false,
  buttons,
  children,
}: FrameProps<Values> & {
  /** Whether the object was created or deleted, so that nothing is lost when the user leaves. */
  isGone?: boolean;
  /** Replaces Save and Discard for a new object. */
  buttons?: ReactNode;
}) {
  const { busy, dirty, problem, waiting, round } = editing;
  return (
    <FormProvider {...editing.form}>
      <UnsavedGuard dirty={(dirty || waiting > 0) && !isGone} />
      <Held busy={busy} className="stack" key={round}>
        {children}
      </Held>
      {(buttons || dirty || busy || waiting > 0) && (
        <SaveBar
          busy={busy}
          waits={waiting > 0}
          status={waiting > 0 ? t('Pictures are still uploading.') : buttons ? undefined : t('Not saved yet.')}
          problem={problem}
          buttons={buttons}
          onDiscard={editing.discard}
          onSave={onSave}
        />
      )}
      <Conflict editing={editing} />
    </FormProvider>
  );
}

/** A form in a card. For a new object there is no Discard. */
export function FormFrame<Values extends FieldValues>({
  editing,
  action = t('Save'),
  isNew = false,
  writable,
  onSave = () => void editing.save(),
  children,
}: FrameProps<Values> & { action?: string; isNew?: boolean; writable: boolean }) {
  const { busy, dirty, problem, waiting, round } = editing;
  return (
    <FormProvider {...editing.form}>
      <UnsavedGuard dirty={dirty || waiting > 0} />
      <Form busy={busy} onSubmit={submitting(onSave)}>
        <fieldset key={round} className="stack" disabled={!writable}>
          {children}
        </fieldset>
        <FormError error={problem} />
        {writable && (
          <footer>
            {!isNew && (
              <Button disabled={!dirty && waiting === 0} onClick={editing.discard}>
                {t('Discard')}
              </Button>
            )}
            <Button type="submit" kind="primary" busy={busy} disabled={waiting > 0 || !(dirty || isNew)}>
              {action}
            </Button>
          </footer>
        )}
      </Form>
      <Conflict editing={editing} />
    </FormProvider>
  );
}

export function DialogFrame<Values extends FieldValues>({
  editing,
  onSave = () => void editing.save(),
  onCancel,
  children,
}: FrameProps<Values> & { onCancel: () => void }) {
  return (
    <FormProvider {...editing.form}>
      <Form busy={editing.busy} onSubmit={submitting(onSave)}>
        {children}
        <FormError error={editing.problem} />
        <footer>
          <Button onClick={onCancel}>{t('Cancel')}</Button>
          <Button type="submit" kind="primary" busy={editing.busy}>
            {t('Save')}
          </Button>
        </footer>
      </Form>
    </FormProvider>
  );
}

function submitting(onSave: () => void) {
  return (event: FormEvent) => {
    event.preventDefault();
    onSave();
  };
}

function Conflict<Values extends FieldValues>({ editing }: { editing: Editing<Values> }) {
  const { conflict, base, form, words } = editing;
  const fields = conflict ? conflictFields(words(base.data), words(form.getValues()), words(conflict.theirs.data)) : [];
  return (
    <ConflictDialog
      source={conflict?.source}
      fields={fields}
      onKeepMine={editing.keepMine}
      onTakeTheirs={editing.takeTheirs}
      onClose={editing.closeConflict}
    />
  );
}
