import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { queryClient } from '../api.ts';
import { Button } from './button.tsx';
import { Confirm } from './dialog.tsx';
import { toast, toastError } from './toasts.tsx';

/** Deletes the subject of the screen, after a question that names the consequences, and returns to its list. */
export function DeleteButton({
  name,
  action = 'Delete',
  list,
  send,
  shownBy,
  onDeleted,
  children,
}: {
  name: string;
  /** The label of the confirming button. */
  action?: string;
  list: string;
  send: () => Promise<unknown>;
  /** The lists that show the deleted object, by their names in the cache. */
  shownBy: readonly string[];
  /** Called before the screen is left. */
  onDeleted?: () => void;
  children: ReactNode;
}) {
  const [asking, setAsking] = useState(false);
  const [, navigate] = useLocation();
  const deletion = useMutation({
    mutationFn: send,
    onSuccess: () => {
      onDeleted?.();
      // The lists are removed from the cache: they would show the deleted object until they are fetched again.
      for (const each of shownBy) queryClient.removeQueries({ queryKey: [each], type: 'inactive' });
      navigate(list, { replace: true });
      toast(`${name} is deleted.`);
    },
    onError: (error) => {
      setAsking(false);
      toastError(error);
    },
  });
  return (
    <>
      <Button onClick={() => setAsking(true)}>Delete</Button>
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        onConfirm={() => deletion.mutate()}
        title={`Delete ${name}?`}
        action={action}
        busy={deletion.isPending}
      >
        {children}
      </Confirm>
    </>
  );
}
