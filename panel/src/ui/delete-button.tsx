import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { queryClient } from '../api.ts';
import { t } from '../language/texts.ts';
import { Button } from './button.tsx';
import { Confirm } from './dialog.tsx';
import { toast, toastError } from './toasts.tsx';

/** Deletes the object of the screen after a confirmation that names the consequences, and returns to its list. */
export function DeleteButton({
  name,
  action = t('Delete'),
  list,
  send,
  shownBy,
  onDeleted,
  children,
}: {
  name: string;
  /** Label of the confirmation button. */
  action?: string;
  list: string;
  send: () => Promise<unknown>;
  /** Query keys of the lists that contain the deleted object. */
  shownBy: readonly string[];
  /** Called before the screen closes. */
  onDeleted?: () => void;
  children: ReactNode;
}) {
  const [asking, setAsking] = useState(false);
  const [, navigate] = useLocation();
  const deletion = useMutation({
    mutationFn: send,
    onSuccess: () => {
      onDeleted?.();
      // Cached lists would show the deleted object until they are refetched.
      for (const each of shownBy) queryClient.removeQueries({ queryKey: [each], type: 'inactive' });
      navigate(list, { replace: true });
      toast(t('{name} is deleted.', { name }));
    },
    onError: (error) => {
      setAsking(false);
      toastError(error);
    },
  });
  return (
    <>
      <Button onClick={() => setAsking(true)}>{t('Delete')}</Button>
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        onConfirm={() => deletion.mutate()}
        title={t('Delete {name}?', { name })}
        action={action}
        busy={deletion.isPending}
      >
        {children}
      </Confirm>
    </>
  );
}
