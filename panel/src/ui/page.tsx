import { type ReactNode, useEffect } from 'react';
import { Link } from 'wouter';
import { inWords } from '../api.ts';
import { t } from '../language/texts.ts';
import { Button } from './button.tsx';

/** A screen with title, actions and content. The title is also the window's title. */
export function Page({
  title,
  back,
  actions,
  status,
  children,
}: {
  title: string;
  back?: { to: string; label: string };
  actions?: ReactNode;
  status?: ReactNode;
  children: ReactNode;
}) {
  useEffect(() => {
    document.title = t('{title} · Merchant panel', { title });
  }, [title]);
  return (
    <div className="page">
      {back && (
        <Link to={back.to} className="back">
          ← {back.label}
        </Link>
      )}
      <header className="page-head">
        <div className="page-title">
          <h1>{title}</h1>
          {status}
        </div>
        {actions && <div className="actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

/** A box with a heading. */
export function Card({ title, actions, children }: { title?: string; actions?: ReactNode; children: ReactNode }) {
  return (
    <section className="card">
      {title && (
        <header>
          <h2>{title}</h2>
          {actions && <div className="actions">{actions}</div>}
        </header>
      )}
      {children}
    </section>
  );
}

/** A list of names and values. Entries without a value are omitted. */
export function Facts({ facts }: { facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="facts">
      {facts
        .filter(([, value]) => value)
        .map(([name, value]) => (
          <div key={name} className="fact">
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** A message in the place of missing content, such as the entries of an empty list. */
export function Empty({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children && <div>{children}</div>}
      {action}
    </div>
  );
}

/** A loading error, with a button to retry if `onRetry` is set. */
export function LoadError({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  return (
    <div className="load-error" role="alert">
      <p>{inWords(error)}</p>
      {onRetry && <Button onClick={onRetry}>{t('Try again')}</Button>}
    </div>
  );
}

/** Shown until data arrives: grey lines in the place of the content. */
export function Loading() {
  return (
    <div className="loading" role="status">
      <span className="unseen">{t('Loading…')}</span>
      {BONES.map((width) => (
        <span key={width} className={`bone ${width}`} />
      ))}
    </div>
  );
}

const BONES = ['w-30', 'w-90', 'w-70', 'w-80', 'w-60'];

/** Shown until a screen's script arrives: a heading and its content. */
export function LoadingPage() {
  return (
    <div className="page">
      <span className="bone heading" />
      <Loading />
    </div>
  );
}

/** Shows the content when the query has data; until then, a placeholder or the error. */
export function Loaded<Data>({
  query,
  children,
}: {
  query: { data: Data | undefined; error: unknown; refetch: () => unknown };
  children: (data: Data) => ReactNode;
}) {
  if (query.data === undefined) {
    return query.error ? <LoadError error={query.error} onRetry={() => void query.refetch()} /> : <Loading />;
  }
  return children(query.data);
}
