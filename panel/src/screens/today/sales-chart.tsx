import { useContext, useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { Schemas } from '../../api.ts';
import { dateLocale, ShopFormatContext, useFormat } from '../../format.ts';
import { t } from '../../language/texts.ts';
import { colourOf, useIsDark } from '../../shell/theme.ts';
import { middayOf } from './period.ts';

const HEIGHT = 220;
const DAY = 86_400;
type Day = Schemas['SalesDay'];

interface Series {
  days: Day[];
  previousDays: Day[];
  currency: string;
}

/** Net sales per day as bars, with the previous period as a line, and as a table for screen readers. */
export function SalesChart({ days, previousDays, currency }: Series) {
  const box = useRef<HTMLDivElement>(null);
  const { money, date } = useFormat();
  const { locale } = useContext(ShopFormatContext);
  const isDark = useIsDark();
  useEffect(() => {
    const place = box.current;
    if (!place) return;
    const chart = new uPlot(
      optionsFor(place.clientWidth, locale, (value) => money(String(value), currency)),
      dataOf(days, previousDays),
      place,
    );
    const observer = new ResizeObserver(() => chart.setSize({ width: place.clientWidth, height: HEIGHT }));
    observer.observe(place);
    return () => {
      observer.disconnect();
      chart.destroy();
    };
  }, [days, previousDays, currency, money, locale, isDark]);
  return (
    <figure className="chart">
      <div ref={box} aria-hidden="true" />
      <figcaption>
        <p className="legend">
          <span className="legend-bar" aria-hidden="true" /> {t('This period')}
          <span className="legend-line" aria-hidden="true" /> {t('Period before')}
        </p>
        <details>
          <summary>{t('Show as a table')}</summary>
          <table className="days">
            <thead>
              <tr>
                <th scope="col">{t('Day')}</th>
                <th scope="col" className="numeric">
                  {t('Orders')}
                </th>
                <th scope="col" className="numeric wide">
                  {t('Paid')}
                </th>
                <th scope="col" className="numeric wide">
                  {t('Refunded')}
                </th>
                <th scope="col" className="numeric">
                  {t('Net sales')}
                </th>
              </tr>
            </thead>
            <tbody>
              {days.toReversed().map((day) => (
                <tr key={day.date}>
                  <td>{date(middayOf(day.date))}</td>
                  <td className="numeric">{day.orders_count}</td>
                  <td className="numeric wide">{money(day.paid, currency)}</td>
                  <td className="numeric wide">{money(day.refunded, currency)}</td>
                  <td className="numeric">{money(day.sales, currency)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </details>
      </figcaption>
    </figure>
  );
}

function dataOf(days: Day[], previousDays: Day[]): uPlot.AlignedData {
  return [
    days.map(({ date }) => Date.parse(middayOf(date)) / 1_000),
    days.map(({ sales }) => Number(sales)),
    previousDays.map(({ sales }) => Number(sales)),
  ];
}

/** Width of the axis for its longest label: "CHF 10,000.00" is longer than "€10.00". */
function widthFor(labels: string[] | null): number {
  const longest = Math.max(0, ...(labels ?? []).map(({ length }) => length));
  return Math.max(72, 7 * longest + 12);
}

function optionsFor(width: number, locale: string, money: (value: number) => string): uPlot.Options {
  const day = new Intl.DateTimeFormat(dateLocale(locale), { day: 'numeric', month: 'short', timeZone: 'UTC' });
  const grid = { stroke: colourOf('--line'), width: 1 };
  const axis = { stroke: colourOf('--quiet'), font: '12px system-ui', grid, ticks: { show: false } };
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { time: false, range: (_, min, max) => [min - DAY / 2, max + DAY / 2] },
      y: { range: { min: { soft: 0, mode: 1 }, max: { pad: 0.1 } } },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        values: (_, ticks) => ticks.map((at) => day.format(at * 1_000)),
        incrs: [1, 2, 7, 14, 28, 91].map((n) => n * DAY),
        // Labels days at equal distances, counted back from the last one.
        splits: ({ data: [days] }, _axis, _from, _to, step) =>
          [...days].filter((_day, i) => (days.length - 1 - i) % (step / DAY) === 0),
      },
      { ...axis, size: (_, labels) => widthFor(labels), values: (_, ticks) => ticks.map(money) },
    ],
    series: [
      {},
      {
        fill: colourOf('--strong'),
        width: 0,
        points: { show: false },
        paths: uPlot.paths.bars?.({ size: [0.7, 40] }),
      },
      { stroke: colourOf('--edge'), width: 2, dash: [5, 4], points: { show: false } },
    ],
  };
}
