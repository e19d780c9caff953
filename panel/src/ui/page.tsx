import { type ReactNode, useEffect } from 'react';
import { Link } from 'wouter';
import { inWords } from '../api.ts';
import { Button } from './button.tsx';

/** A screen: its title (which is the window's as well), its actions, and its content. */
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
    document.title = `${title} · Merchant panel`;
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

/** A box with a heading; the panel's screens are made of them. */
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

/** Properties by name; those without a value are omitted. */
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

/** The empty state: its purpose, and how to create the first entry. */
export function Empty({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children && <div>{children}</div>}
      {action}
    </div>
  );
}

/** An error while loading, with a button to retry. */
export function LoadError({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  return (
    <div className="load-error" role="alert">
      <p>{inWords(error)}</p>
      {onRetry && <Button onClick={onRetry}>Try again</Button>}
    </div>
  );
}

export function Loading() {
  return (
    <div className="loading" role="status">
      <span className="spinner" aria-hidden="true" /> Loading…
    </div>
  );
}

/** Shows that the query is loading, or its error, until there is data, and then the content. */
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
