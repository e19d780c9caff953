import { unwrap } from '@commerce-backend/sdk';
import { useMutation, useQuery } from '@tanstack/react-query';
import { api, type Inputs, readAgain } from '../../api.ts';
import { t } from '../../language/texts.ts';
import { Checkbox } from '../../ui/field.tsx';
import { Held } from '../../ui/held.tsx';
import { Card, Loaded } from '../../ui/page.tsx';
import { toast, toastError } from '../../ui/toasts.tsx';

const mails: [keyof Omit<Inputs['Notifications'], 'language'>, string, string][] = [
  ['new_order', t('A new order'), t('One mail for each.')],
  ['low_stock', t('Low stock'), t('Products that reach their alert level, in one e-mail.')],
  ['webhook_disabled', t('A webhook was switched off'), t('After days of failed deliveries.')],
];

/** Selects which mails the logged-in user gets. */
export function NotificationSettings() {
  const query = useQuery({
    queryKey: ['notifications'],
    queryFn: ({ signal }) => unwrap(api.GET('/api/dashboard/me/notifications', { signal })),
  });
  const save = useMutation({
    mutationFn: (body: Inputs['NotificationsPatch']) => unwrap(api.PATCH('/api/dashboard/me/notifications', { body })),
    onSuccess: async () => {
      await readAgain('notifications');
      toast(t('Saved.'));
    },
    onError: toastError,
  });
  // Shows the new state of the checkboxes while it is being saved.
  const ticked = save.isPending ? save.variables : undefined;
  return (
    <Card title={t('Mails to you')}>
      <Loaded query={query}>
        {(chosen) => (
          <Held busy={save.isPending} className="stack">
            {mails.map(([mail, words, hint]) => (
              <Checkbox
                key={mail}
                label={words}
                hint={hint}
                checked={ticked?.[mail] ?? chosen[mail]}
                onChange={(event) => save.mutate({ [mail]: event.target.checked })}
              />
            ))}
          </Held>
        )}
      </Loaded>
    </Card>
  );
}
