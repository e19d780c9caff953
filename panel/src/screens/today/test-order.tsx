import { unwrap } from '@commerce-backend/sdk';
import { useMutation } from '@tanstack/react-query';
import { api, type Schemas } from '../../api.ts';
import { useFormat } from '../../format.ts';
import { sentence } from '../../language/sentences.ts';
import { t } from '../../language/texts.ts';
import { useCan } from '../../session/use-me.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { toastError } from '../../ui/toasts.tsx';

/** Simulates an order and shows it with its mails. Nothing is stored. */
export function TestOrderButton() {
  const can = useCan();
  const trial = useMutation({
    mutationFn: () => unwrap(api.POST('/api/dashboard/setup/test-order')),
    onError: toastError,
  });
  if (!can('orders:write')) return null;
  return (
    <>
      <Button busy={trial.isPending} onClick={() => trial.mutate()}>
        {t('Try an order')}
      </Button>
      {trial.data && <TestOrderDialog trial={trial.data} onClose={trial.reset} />}
    </>
  );
}

function TestOrderDialog({
  trial: { order, timeline, mails },
  onClose,
}: {
  trial: Schemas['TestOrder'];
  onClose: () => void;
}) {
  const { money } = useFormat();
  const sums = [
    ...order.line_items.map(({ id, name, quantity, total }) => ({ id, name: `${quantity} × ${name}`, amount: total })),
    { id: 'delivery', name: order.shipping_method ?? t('Delivery'), amount: order.shipping_cost },
    { id: 'tax', name: order.tax_included ? t('Tax in it') : t('Tax'), amount: order.tax },
    { id: 'total', name: t('Total'), amount: order.total },
  ];
  return (
    <Dialog open onClose={onClose} title={t('A test order')} wide>
      <p>{t('This is a simulated order. Nothing is stored or sent.')}</p>
      <dl className="facts">
        {sums.map(({ id, name, amount }) => (
          <div key={id} className="fact">
            <dt>{name}</dt>
            <dd>{money(amount, order.currency)}</dd>
          </div>
        ))}
      </dl>
      <h3>{t('Expected timeline')}</h3>
      <ol>
        {timeline.toReversed().map(({ id, message }) => (
          <li key={id}>{sentence(message)}</li>
        ))}
      </ol>
      <h3>{t('Mails')}</h3>
      {mails.map(({ template, to, subject, text }) => (
        <details key={`${template} ${to}`} className="mail">
          <summary>
            {subject} <span className="quiet-text">{t('to {to}', { to })}</span>
          </summary>
          <pre>{text}</pre>
        </details>
      ))}
      <footer>
        <Button kind="primary" onClick={onClose}>
          {t('Close')}
        </Button>
      </footer>
    </Dialog>
  );
}
