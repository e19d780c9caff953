import { unwrap } from '@commerce-backend/sdk';
import { useMutation } from '@tanstack/react-query';
import { api } from '../../api.ts';
import { adoptLanguage } from '../../language/choice.ts';
import { LANGUAGES, type PanelLanguage, panelLanguage, t } from '../../language/texts.ts';
import { Select } from '../../ui/field.tsx';
import { Held } from '../../ui/held.tsx';
import { Card } from '../../ui/page.tsx';
import { toastError } from '../../ui/toasts.tsx';

/** The member's language. Changing it reloads the panel. */
export function Language() {
  const save = useMutation({
    mutationFn: (language: PanelLanguage) =>
      unwrap(api.PATCH('/api/dashboard/me/notifications', { body: { language } })),
    onSuccess: (_, language) => adoptLanguage(language),
    onError: toastError,
  });
  return (
    <Card title={t('Language')}>
      <Held busy={save.isPending} className="stack">
        <Select
          label={t('Language of the panel')}
          hint={t('For you only. Dates follow it; amounts and numbers stay in the format of the shop.')}
          value={panelLanguage()}
          onChange={(event) => save.mutate(event.target.value as PanelLanguage)}
        >
          {Object.entries(LANGUAGES).map(([code, name]) => (
            <option key={code} value={code} lang={code}>
              {name}
            </option>
          ))}
        </Select>
      </Held>
    </Card>
  );
}
