import { unwrap } from '@commerce-backend/sdk';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { api, type Schemas } from '../../api.ts';
import { sentence } from '../../language/sentences.ts';
import { t } from '../../language/texts.ts';
import { useCan } from '../../session/use-me.ts';
import { Card, Loaded } from '../../ui/page.tsx';

type Step = Schemas['SetupItem'];

/** The screen for each setup step. */
const PLACES: Record<Step['code'], { name: string; to: string }> = {
  products: { name: t('Products to sell'), to: '/products' },
  delivery: { name: t('Delivery'), to: '/settings/delivery' },
  payment: { name: t('Payment methods'), to: '/settings/payments' },
  live_payments: { name: t('Payments with real money'), to: '/settings/payments' },
  tax: { name: t('Tax'), to: '/settings/tax' },
  contact: { name: t('Contact details'), to: '/settings/brand' },
  legal: { name: t('Legal pages'), to: '/settings/legal' },
  withdrawal: { name: t('Page for withdrawals'), to: '/settings/returns' },
  returns: { name: t('Return address'), to: '/settings/returns' },
  storefront_url: { name: t("Your shop's address"), to: '/settings/general' },
};

/** The setup steps: the remaining ones with links to their screens, and the completed ones in a collapsed list. */
export function SetupList({ canSell }: { canSell: boolean }) {
  const can = useCan();
  const mayRead = can('settings:read');
  const setup = useQuery({
    queryKey: ['setup'],
    queryFn: ({ signal }) => unwrap(api.GET('/api/dashboard/setup', { signal })),
    enabled: mayRead,
  });
  if (!mayRead) return null;
  return (
    <Card title={canSell ? t('To finish setting up') : t('Before the shop can sell')}>
      <Loaded query={setup}>
        {({ items }) => <Steps open={items.filter(({ done }) => !done)} done={items.filter(({ done }) => done)} />}
      </Loaded>
    </Card>
  );
}

function Steps({ open, done }: { open: Step[]; done: Step[] }) {
  return (
    <>
      <ul className="setup">
        {open.map((step) => (
          <StepRow key={step.code} step={step} />
        ))}
      </ul>
      {done.length > 0 && (
        <details>
          <summary>{t('{count} done', { count: done.length })}</summary>
          <ul className="setup">
            {done.map((step) => (
              <StepRow key={step.code} step={step} />
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

function StepRow({ step: { code, done, blocking, message } }: { step: Step }) {
  // A newer server may return unknown steps.
  const place = PLACES[code] ?? { name: code, to: '/settings' };
  return (
    <li className={done ? 'done' : blocking ? 'blocking' : undefined}>
      <span aria-hidden="true">{done ? '✓' : '○'}</span>
      <div>
        {done ? (
          <span>
            {place.name}
            <span className="unseen">{t(': done')}</span>
          </span>
        ) : (
          <Link to={place.to}>{place.name}</Link>
        )}
        {!done && (
          <p className="quiet-text">
            {sentence(message)}
            {blocking && ` ${t('Needed before the first sale.')}`}
          </p>
        )}
      </div>
    </li>
  );
}
