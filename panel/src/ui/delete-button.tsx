import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { queryClient } from '../api.ts';
import { Button } from './button.tsx';
import { Confirm } from './dialog.tsx';
import { toast, toastError } from './toasts.tsx';

/** Deletes what the screen shows, after a question that says what becomes of it, and leads back to the list it was in. */
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
  /** What the button of the question says. */
  action?: string;
  list: string;
  send: () => Promise<unknown>;
  /** The lists that show it, by their names in the cache. */
  shownBy: readonly string[];
  /** Before the screen is left. */
  onDeleted?: () => void;
  children: ReactNode;
}) {
  const [asking, setAsking] = useState(false);
  const [, navigate] = useLocation();
  const deletion = useMutation({
    mutationFn: send,
    onSuccess: () => {
      onDeleted?.();
      // The list would show it once more before it is read anew.
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
