import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { Schemas } from '../../api.ts';
import { useFormat } from '../../format.ts';
import { colourOf, useIsDark } from '../../shell/theme.ts';

const HEIGHT = 220;
const DAY = 86_400;

/** Sales per day as a bar chart, with a table for screen readers. */
export function SalesChart({ days, currency }: { days: Schemas['OverviewDay'][]; currency: string }) {
  const box = useRef<HTMLDivElement>(null);
  const { money, date } = useFormat();
  const isDark = useIsDark();
  useEffect(() => {
    const place = box.current;
    if (!place) return;
    const chart = new uPlot(
      optionsFor(place.clientWidth, (value) => money(String(value), currency)),
      dataOf(days),
      place,
    );
    const observer = new ResizeObserver(() => chart.setSize({ width: place.clientWidth, height: HEIGHT }));
    observer.observe(place);
    return () => {
      observer.disconnect();
      chart.destroy();
    };
  }, [days, currency, money, isDark]);
  return (
    <figure className="chart">
      <div ref={box} aria-hidden="true" />
      <figcaption>
        <details>
          <summary>Show as a table</summary>
          <table className="days">
            <thead>
              <tr>
                <th scope="col">Day</th>
                <th scope="col" className="numeric">
                  Orders
                </th>
                <th scope="col" className="numeric">
                  Sales
                </th>
              </tr>
            </thead>
            <tbody>
              {days.toReversed().map((day) => (
                <tr key={day.date}>
                  <td>{date(middayOf(day.date))}</td>
                  <td className="numeric">{day.orders_count}</td>
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

/** A time in the middle of the day, so that hardly any time zone shows the previous day. */
function middayOf(day: string): string {
  return `${day}T12:00:00Z`;
}

function dataOf(days: Schemas['OverviewDay'][]): uPlot.AlignedData {
  return [days.map(({ date }) => Date.parse(middayOf(date)) / 1_000), days.map(({ sales }) => Number(sales))];
}

/** Width of the axis for its longest label: "CHF 10,000.00" is longer than "€10.00". */
function widthFor(labels: string[] | null): number {
  const longest = Math.max(0, ...(labels ?? []).map(({ length }) => length));
  return Math.max(72, 7 * longest + 12);
}

function optionsFor(width: number, money: (value: number) => string): uPlot.Options {
  const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });
  const axis = {
    stroke: colourOf('--quiet'),
    font: '12px system-ui',
    grid: { stroke: colourOf('--line'), width: 1 },
    ticks: { show: false },
  };
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
        incrs: [1, 7, 14].map((n) => n * DAY),
        // Labels days below the bars. The last bar is today.
        splits: ({ data: [days] }, _axis, _from, _to, step) =>
          [...days].filter((_day, i) => (days.length - 1 - i) % (step / DAY) === 0),
      },
      { ...axis, size: (_, labels) => widthFor(labels), values: (_, ticks) => ticks.map(money) },
    ],
    series: [
      {},
      { fill: colourOf('--strong'), width: 0, points: { show: false }, paths: uPlot.paths.bars?.({ size: [0.7, 40] }) },
    ],
  };
}
