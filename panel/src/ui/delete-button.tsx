import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { Button } from './button.tsx';
import { Confirm } from './dialog.tsx';
import { toast, toastError } from './toasts.tsx';

/** Deletes what the screen shows, after a question that says what becomes of it, and leads back to the list it was in. */
export function DeleteButton({
  name,
  action = 'Delete',
  list,
  send,
  forget,
  onDeleted,
  children,
}: {
  name: string;
  /** What the button of the question says. */
  action?: string;
  list: string;
  send: () => Promise<unknown>;
  /** What was read of it, and of what shows it, is read anew. */
  forget: () => Promise<unknown>;
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
      toast(`${name} is deleted.`);
      navigate(list, { replace: true });
      void forget();
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
