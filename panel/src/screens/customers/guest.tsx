import { unwrap } from '@commerce-backend/sdk';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from 'wouter';
import { api, type Schemas } from '../../api.ts';
import { useFormat } from '../../format.ts';
import { t } from '../../language/texts.ts';
import { Badge } from '../../ui/badge.tsx';
import { Card, Empty, Loaded, Page } from '../../ui/page.tsx';
import { guestName } from './guest-list.tsx';
import { OrdersCard } from './orders-card.tsx';
import { GUESTS_PATH } from './queries.ts';

const BACK = { to: '/customers?has_account=guest', label: t('Guests') };

/** Somebody who has ordered without an account: contact data and orders, by the e-mail in the URL. */
export function GuestScreen() {
  const email = (new URLSearchParams(useSearch()).get('email') ?? '').toLowerCase();
  const query = useQuery({
    queryKey: ['customers', 'guest', email],
    queryFn: async ({ signal }) => {
      if (email === '') return null;
      const params = { query: { q: email, limit: 100 } };
      const { guests } = await unwrap(api.GET(GUESTS_PATH, { params, signal }));
      return guests.find((guest) => guest.email === email) ?? null;
    },
  });
  return (
    <Loaded query={query}>
      {(guest) =>
        guest === null ? (
          <Page title={t('Guest')} back={BACK}>
            <Empty title={t('There is no such guest')}>
              {t('The orders may belong to an account now, or their personal data was erased.')}
            </Empty>
          </Page>
        ) : (
          <Page title={guestName(guest)} back={BACK} status={<Badge value="draft">{t('Guest')}</Badge>}>
            <div className="columns">
              <OrdersCard
                of={['of-guest', email]}
                read={(page, signal) => {
                  const params = { query: { guest_email: email, page, limit: 10 } };
                  return unwrap(api.GET('/api/dashboard/orders', { params, signal }));
                }}
              />
              <Contact guest={guest} />
            </div>
          </Page>
        )
      }
    </Loaded>
  );
}

function Contact({ guest }: { guest: Schemas['Guest'] }) {
  const format = useFormat();
  return (
    <Card title={t('Contact')}>
      <dl className="facts">
        <dt>{t('E-mail')}</dt>
        <dd>{guest.email}</dd>
        <dt>{t('Account')}</dt>
        <dd>{t('none, ordered as a guest')}</dd>
        <dt>{t('First order')}</dt>
        <dd>{format.date(guest.first_order_at)}</dd>
        <dt>{t('Last order')}</dt>
        <dd>{format.date(guest.last_order_at)}</dd>
        <dt>{t('Orders')}</dt>
        <dd>{format.number(guest.orders_count)}</dd>
        <dt>{t('Spent')}</dt>
        <dd>{format.money(guest.total_spent)}</dd>
      </dl>
    </Card>
  );
}
