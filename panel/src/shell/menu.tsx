import { Link, useLocation } from 'wouter';
import { useFormat } from '../format.ts';
import { t } from '../language/texts.ts';
import { useMe } from '../session/use-me.ts';
import { Icon } from '../ui/icon.tsx';
import { sections } from './sections.ts';
import { useCounts } from './use-shop.ts';

/** The menu's sections, with the number of open tasks. */
export function Menu() {
  const { scopes } = useMe();
  const [location] = useLocation();
  const { number } = useFormat();
  const counts = useCounts();
  const tasks: Record<string, { count: number; title: string } | undefined> = counts
    ? {
        '/orders': { count: counts.orders_to_ship_count, title: t('Orders to be shipped') },
        '/returns': { count: counts.open_returns_count, title: t('Open returns') },
        '/withdrawals': { count: counts.open_withdrawals_count, title: t('Open withdrawals') },
      }
    : {};
  return (
    <ul>
      {sections
        .filter(({ scope }) => scope === undefined || scopes.includes(scope))
        .map(({ path, name, icon, key }) => {
          const task = tasks[path];
          const count = task && task.count > 0 ? number(task.count) : undefined;
          return (
            <li key={path}>
              <Link
                to={path}
                data-key={key}
                aria-current={isWithin(location, path) ? 'page' : undefined}
                title={count && `${task?.title}: ${count}`}
              >
                <Icon name={icon} />
                <span>{name}</span>
                {count && (
                  <span className="count" aria-hidden="true">
                    {count}
                  </span>
                )}
              </Link>
            </li>
          );
        })}
    </ul>
  );
}

function isWithin(location: string, path: string): boolean {
  return path === '/' ? location === '/' : location === path || location.startsWith(`${path}/`);
}
