import { unwrap } from '@commerce-backend/sdk';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, Suspense } from 'react';
import { Link } from 'wouter';
import { api, type Schemas } from '../../api.ts';
import { useFormat } from '../../format.ts';
import { t } from '../../language/texts.ts';
import { lazyPart } from '../../shell/lazy-part.ts';
import { startOfDay } from '../../ui/days.ts';
import { Card, Loaded, Loading } from '../../ui/page.tsx';
import { Pictured } from '../../ui/picture.tsx';
import { useSearchState } from '../../ui/search-state.ts';
import { middayOf, periodIn } from './period.ts';
import { PeriodChoice } from './period-choice.tsx';

// Loaded later, because the chart is half of the first screen's code.
const SalesChart = lazyPart(async () => (await import('./sales-chart.tsx')).SalesChart);

type Report = Schemas['SalesReport'];

/** The sales of a period, compared with the period before. */
export function Sales() {
  const [params] = useSearchState();
  const { timeZone } = useFormat();
  const { from, to, name } = periodIn(params, timeZone);
  const report = useQuery({
    queryKey: ['overview', 'sales', from, to],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/api/dashboard/reports/sales', { params: { query: { from, to } }, signal })),
    // Shows the earlier figures until the new ones have loaded, so that the page does not jump.
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  });
  return (
    <section className="sales" aria-label={t('Sales')}>
      <PeriodChoice from={from} to={to} name={name} />
      <Loaded query={report}>
        {(data) => (
          <>
            <Figures report={data} />
            {data.days.length > 1 && (
              <Card title={t('Net sales per day')}>
                <Suspense fallback={<Loading />}>
                  <SalesChart days={data.days} previousDays={data.previous_days} currency={data.currency} />
                </Suspense>
              </Card>
            )}
            <div className="two-cards">
              <TopProducts products={data.top_products} currency={data.currency} />
              <Conversion conversion={data.conversion} />
            </div>
          </>
        )}
      </Loaded>
    </section>
  );
}

function Figures({ report: { current, previous, currency } }: { report: Report }) {
  const { money, number, date, timeZone } = useFormat();
  const orders = new URLSearchParams({
    created_from: startOfDay(current.from, timeZone),
    created_to: startOfDay(current.to, timeZone, 1),
  });
  const { average_order_value: average } = current;
  const share = Number(current.sales) > 0 ? Math.round((Number(current.agent_sales) / Number(current.sales)) * 100) : 0;
  const [first, last] = [date(middayOf(previous.from)), date(middayOf(previous.to))];
  return (
    <>
      <div className="figures">
        <Figure name={t('Net sales')} main now={current.sales} before={previous.sales}>
          {money(current.sales, currency)}
        </Figure>
        <Figure name={t('Paid')} now={current.paid} before={previous.paid}>
          {money(current.paid, currency)}
        </Figure>
        <Figure name={t('Refunded')} now={current.refunded} before={previous.refunded} fallIsGood>
          {money(current.refunded, currency)}
        </Figure>
        <Figure name={t('Orders')} now={current.orders_count} before={previous.orders_count}>
          <Link to={`/orders?${orders}`}>{number(current.orders_count)}</Link>
        </Figure>
        <Figure name={t('Average order')} now={average ?? 0} before={previous.average_order_value ?? 0}>
          {average === null ? '–' : money(average, currency)}
        </Figure>
        <Figure
          name={t('By assistants, {share} %', { share: number(share) })}
          now={current.agent_sales}
          before={previous.agent_sales}
        >
          {money(current.agent_sales, currency)}
        </Figure>
      </div>
      <p className="hint">
        {t(
          'Compared with {period}. Net sales are payments less refunds and lost disputes, on the day of the order. Unpaid orders count as orders, cancelled ones do not count.',
          { period: first === last ? first : `${first} – ${last}` },
        )}
      </p>
    </>
  );
}

/** A figure with its change in percent. */
function Figure({
  name,
  now,
  before,
  main = false,
  fallIsGood = false,
  children,
}: {
  name: string;
  now: string | number;
  before: string | number;
  main?: boolean;
  fallIsGood?: boolean;
  children: ReactNode;
}) {
  return (
    <div className={main ? 'figure-card main' : 'figure-card'}>
      <span className="figure-name">{name}</span>
      <strong className="figure">{children}</strong>
      <Change now={Number(now)} before={Number(before)} fallIsGood={fallIsGood} />
    </div>
  );
}

function Change({ now, before, fallIsGood }: { now: number; before: number; fallIsGood: boolean }) {
  const { number } = useFormat();
  if (before <= 0) return <span className="change">{now === before ? t('No change') : t('Nothing before')}</span>;
  const percent = Math.round(((now - before) / before) * 100);
  if (percent === 0) return <span className="change">{t('No change')}</span>;
  const isGood = percent > 0 !== fallIsGood;
  const values = { percent: number(Math.abs(percent)) };
  return (
    <span className={isGood ? 'change good' : 'change bad'}>
      <span aria-hidden="true">{percent > 0 ? '▲' : '▼'} </span>
      {percent > 0 ? t('{percent} % more', values) : t('{percent} % less', values)}
    </span>
  );
}

function TopProducts({ products, currency }: { products: Report['top_products']; currency: string }) {
  const { money, number } = useFormat();
  return (
    <Card title={t('Top products')}>
      {products.length === 0 ? (
        <p className="quiet-text">{t('No product was paid for in this period.')}</p>
      ) : (
        <ol className="ranking">
          {products.map(({ product_id, name, image_url, quantity, revenue }) => (
            <li key={product_id ?? name}>
              <Pictured url={image_url}>
                {product_id ? <Link to={`/products/${product_id}`}>{name}</Link> : name}
                <span className="quiet-text ranking-count">
                  {quantity === 1 ? t('1 piece') : t('{count} pieces', { count: number(quantity) })}
                </span>
              </Pictured>
              <span className="numeric">{money(revenue, currency)}</span>
            </li>
          ))}
        </ol>
      )}
      {products.length > 0 && (
        <p className="hint">{t('Paid orders, after discounts, before refunds and without delivery.')}</p>
      )}
    </Card>
  );
}

/** The conversion from carts to checkouts and orders. */
function Conversion({ conversion }: { conversion: Report['conversion'] }) {
  const { number } = useFormat();
  if (!conversion) {
    return (
      <Card title={t('Conversion')}>
        <p className="quiet-text">
          {t('Only for periods that begin in the last 36 days, because abandoned carts are deleted.')}
        </p>
      </Card>
    );
  }
  const { carts_count, checkouts_count, orders_count } = conversion;
  const steps = [
    { name: t('Carts'), count: carts_count },
    { name: t('Checkouts'), count: checkouts_count },
    { name: t('Orders'), count: orders_count },
  ];
  const share = (count: number) => (carts_count === 0 ? 0 : Math.round((count / carts_count) * 1_000) / 10);
  return (
    <Card title={t('Conversion')}>
      <ol className="funnel">
        {steps.map(({ name, count }) => (
          <li key={name}>
            <span>{name}</span>
            <span className="numeric">
              {number(count)} <span className="quiet-text">({number(share(count))} %)</span>
            </span>
            <progress value={count} max={Math.max(carts_count, 1)} aria-label={name} />
          </li>
        ))}
      </ol>
      <p className="hint">
        {t('Carts that were created in this period, and what became of them until now. Nobody is tracked for this.')}
      </p>
    </Card>
  );
}
